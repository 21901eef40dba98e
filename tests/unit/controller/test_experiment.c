#include <stdlib.h>

#include "controller/emulate.h"
#include "tests/lib/check.h"

static struct experiment *ex;

static int begin(void **state)
{
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(ex);
    return 0;
}

typedef enum err (*adder)(struct experiment *ex, const char *text,
                          struct why *why);

static void add(adder f, const char *text)
{
    struct why why = {""};
    check_ok(f(ex, text, &why), why);
}

static void refused(adder f, const char *text, enum err code, const char *want)
{
    struct why why = {""};
    check_err(f(ex, text, &why), code);
    assert_string_equal(why.text, want);
}

static void an_option_makes_an_axis(void **state)
{
    (void)state;
    add(experiment_option, "heap=256m,1g");
    add(experiment_option, "link=loopback,eth200@veth:mtu=1500");
    assert_int_equal(ex->n_axes, 2);
    assert_string_equal(ex->axes[0].name, "heap");
    assert_int_equal(ex->axes[0].n_levels, 2);
    assert_string_equal(ex->axes[1].levels[1].label, "eth200");
}

static void the_same_factor_again_replaces_its_levels(void **state)
{
    (void)state;
    add(experiment_option, "heap=256m,1g");
    add(experiment_option, "heap=2g");
    assert_int_equal(ex->n_axes, 1);
    assert_int_equal(ex->axes[0].n_levels, 1);
    assert_string_equal(ex->axes[0].levels[0].value, "2g");
}

static void bad_axes_are_refused_and_change_nothing(void **state)
{
    (void)state;
    refused(experiment_option, "haep=1g", ERR_INVALID,
            "unknown factor \"haep\"; near it: heap");
    refused(experiment_option, "heap", ERR_INVALID,
            "\"heap\" is not NAME=VALUE");
    refused(experiment_option, "heap=", ERR_INVALID, "heap: an empty level");
    refused(experiment_option, "heap=1g,,2g", ERR_INVALID,
            "heap: an empty level");
    refused(experiment_option, "heap=1g,1x", ERR_INVALID,
            "heap: \"1x\" is not a size such as 512, 64k, 2g or 1Mi");
    refused(experiment_option, "heap=1g,2g,1g", ERR_INVALID,
            "heap: level \"1g\" stands there twice");
    refused(experiment_option, "heap=1g,1024m", ERR_INVALID,
            "heap: levels \"1g\" and \"1024m\" mean the same");
    refused(experiment_option, "rmem=a@low,a@high", ERR_INVALID,
            "rmem: level \"a\" stands there twice");
    refused(experiment_option, "rmem=low,10240:10240:10240", ERR_INVALID,
            "rmem: levels \"low\" and \"10240:10240:10240\" mean the same");
    assert_int_equal(ex->n_axes, 0);
}

static void more_than_16_factors_are_refused(void **state)
{
    (void)state;
    char text[] = "track.a=1";
    for (char c = 'a'; c < 'a' + 16; c++) {
        text[6] = c;
        add(experiment_option, text);
    }
    refused(experiment_option, "heap=1g", ERR_RANGE,
            "heap: more than 16 factors");
    add(experiment_option, "track.a=2"); /* one that is there is replaced */
}

static void excludes_name_levels_by_label_or_value(void **state)
{
    (void)state;
    add(experiment_option, "heap=256m,1g");
    add(experiment_option, "link=loopback,eth200@veth:mtu=1500");
    add(experiment_exclude, "heap=1g,link=eth200");
    assert_int_equal(ex->excludes[0].levels[0], 2); /* bit 1 */
    assert_int_equal(ex->excludes[0].levels[1], 2);
    add(experiment_exclude, "link=veth:mtu=1500");
    assert_int_equal(ex->excludes[1].levels[0], 0); /* any */
    assert_int_equal(ex->excludes[1].levels[1], 2);
}

static void bad_excludes_are_refused(void **state)
{
    (void)state;
    refused(experiment_exclude, "heap=1g", ERR_INVALID,
            "exclude heap=1g: \"heap\" is not a factor of this experiment; it "
            "has: none");
    add(experiment_option, "heap=256m,1g");
    refused(experiment_exclude, "heap=2g", ERR_INVALID,
            "exclude heap=2g: heap has no level \"2g\"; it has: 256m, 1g");
    refused(experiment_exclude, "rmem=low", ERR_INVALID,
            "exclude rmem=low: \"rmem\" is not a factor of this experiment; "
            "it has: heap");
    refused(experiment_exclude, "heap", ERR_INVALID,
            "exclude heap: \"heap\" is not NAME=VALUE");
    refused(experiment_exclude, "heap=1g,", ERR_INVALID,
            "exclude heap=1g,: \"\" is not NAME=VALUE");
    assert_int_equal(ex->n_excludes, 0);
}

static void zips_join_axes_of_equal_length(void **state)
{
    (void)state;
    add(experiment_option, "rmem=low,high");
    add(experiment_option, "heap=1g,2g,4g");
    add(experiment_option, "link=loopback,veth");
    add(experiment_zip, "rmem,link");
    assert_int_equal(ex->zips[0].axes, 5); /* bits 0 and 2 */
    refused(experiment_zip, "rmem,heap", ERR_INVALID,
            "zip rmem,heap: rmem is zipped twice");
    refused(experiment_zip, "heap", ERR_INVALID,
            "zip heap: a zip joins two factors or more");
    refused(experiment_zip, "heap,heap", ERR_INVALID,
            "zip heap,heap: heap is zipped twice");
    refused(experiment_zip, "heap,pin", ERR_INVALID,
            "zip heap,pin: \"pin\" is not a factor of this experiment; it has: "
            "rmem, heap, link");
    add(experiment_option, "pin=auto,none");
    refused(experiment_zip, "heap,pin", ERR_INVALID,
            "zip heap,pin: pin has 2 levels, the others have 3");
}

static void words_and_numbers_are_checked(void **state)
{
    (void)state;
    add(experiment_telemetry, "none");
    assert_string_equal(ex->telemetry, "none");
    assert_false(experiment_extra(ex));
    add(experiment_telemetry, "cpu,link");
    assert_string_equal(ex->telemetry, "cpu,link");
    refused(experiment_telemetry, "cpu,gpu", ERR_INVALID,
            "\"gpu\" is not one of "
            "link,tcp,cpu,disk,proc,target,capacity,perf,reads "
            "(or none alone)");
    refused(experiment_telemetry, "cpu,", ERR_INVALID,
            "\"\" is not one of "
            "link,tcp,cpu,disk,proc,target,capacity,perf,reads "
            "(or none alone)");
    refused(experiment_telemetry, "cpu,link,cpu", ERR_INVALID,
            "cpu stands there twice");
    add(experiment_canary, "off");
    assert_int_equal(ex->canary, CANARY_OFF);
    refused(experiment_canary, "maybe", ERR_INVALID,
            "\"maybe\" is not auto, on or off");
    add(experiment_iterations, "6");
    assert_int_equal(ex->iterations, 6);
    refused(experiment_iterations, "0", ERR_RANGE, "\"0\" measures nothing");
    refused(experiment_iterations, "10001", ERR_RANGE,
            "\"10001\" is more than 10000");
    refused(experiment_iterations, "many", ERR_INVALID,
            "\"many\" is not a whole number");
    refused(experiment_order, "sorted", ERR_INVALID,
            "\"sorted\" is not blocks, random or listed");
}

static void a_dropped_level_takes_its_own_excludes_along(void **state)
{
    (void)state;
    add(experiment_option, "heap=256m,1g,2g");
    add(experiment_option, "rmem=default,low");
    add(experiment_exclude, "heap=256m,rmem=low");
    add(experiment_exclude, "heap=2g");
    add(experiment_exclude, "heap=1g,heap=2g,rmem=low");
    experiment_drop(ex, 0, 1); /* 1g */
    assert_int_equal(ex->axes[0].n_levels, 2);
    assert_string_equal(ex->axes[0].levels[1].label, "2g");
    assert_int_equal(ex->n_excludes, 3);
    assert_int_equal(ex->excludes[0].levels[0], 1);
    assert_int_equal(ex->excludes[1].levels[0], 2); /* 2g is bit 1 now */
    assert_int_equal(ex->excludes[2].levels[0], 2);
    experiment_drop(ex, 1, 1); /* low: the first and the third spoke of it */
    assert_int_equal(ex->n_excludes, 1);
    assert_string_equal(ex->excludes[0].text, "heap=2g");
}

static void an_emulation_of_ethernet_says_so_in_value_and_label(void **state)
{
    (void)state;
    struct why why = {""};
    add(experiment_option, "heap=1g,2g");
    check_err(emulate_ethernet(ex, &why), ERR_INVALID);
    assert_string_equal(why.text, "there is no level link=ethernet to emulate");
    add(experiment_option, "link=loopback,ethernet");
    check_ok(emulate_ethernet(ex, &why), why);
    const struct level *l = &ex->axes[1].levels[1];
    assert_string_equal(l->label, "emulated");
    assert_string_equal(l->value, "veth:mtu=1500+rate=1gbit+burst=32kb+"
                                  "offloads=off+emulates=ethernet");
    assert_string_equal(ex->axes[1].levels[0].label, "loopback");
    add(experiment_option, "link=lan@ethernet");
    check_ok(emulate_ethernet(ex, &why), why);
    assert_string_equal(ex->axes[1].levels[0].label, "lan-emulated");
    /* A label that is there already. */
    add(experiment_option, "link=emulated@loopback,ethernet");
    check_err(emulate_ethernet(ex, &why), ERR_INVALID);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(an_option_makes_an_axis),
        CASE(the_same_factor_again_replaces_its_levels),
        CASE(bad_axes_are_refused_and_change_nothing),
        CASE(more_than_16_factors_are_refused),
        CASE(excludes_name_levels_by_label_or_value),
        CASE(bad_excludes_are_refused),
        CASE(zips_join_axes_of_equal_length),
        CASE(words_and_numbers_are_checked),
        CASE(an_emulation_of_ethernet_says_so_in_value_and_label),
        CASE(a_dropped_level_takes_its_own_excludes_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
