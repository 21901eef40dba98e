#include <stdio.h>
#include <stdlib.h>

#include "controller/factor.h"
#include "controller/maps.h"
#include "tests/lib/check.h"

static struct msg_hello_reply agent = {
    .name = "lab1",
    .targets = "pitwall,nginx,far,twin",
    .target_maps = "pitwall=heap predictor target.*\n"
                   "nginx=target.workers:count target.sync:on|off\n"
                   "es=!no program /opt/es on this machine\n"
                   "far=unmanaged\n"
                   "twin=heap predictor target.*\n"};

/* An experiment of one factor against target, in its one cell. */
static enum err check(const char *target, const char *name, const char *value,
                      struct why *why)
{
    struct setup *setup = calloc(1, sizeof *setup);
    struct experiment *ex = calloc(1, sizeof *ex);
    struct level level = {0};
    assert_non_null(setup);
    assert_non_null(ex);
    experiment_init(ex);
    factor_defaults(setup);
    *why = (struct why){""};
    (void)snprintf(level.label, sizeof level.label, "l");
    (void)snprintf(level.value, sizeof level.value, "%s", value);
    check_ok(experiment_axis(ex, name, &level, 1, why), *why);
    check_ok(factor_set(name, value, setup, why), *why);
    (void)snprintf(setup->spec.target, sizeof setup->spec.target, "%s", target);
    enum err e = maps_check(&agent, ex, &setup->spec, why);
    free(ex);
    free(setup);
    return e;
}

static void refused(const char *target, const char *name, const char *value,
                    const char *text)
{
    struct why why;
    check_err(check(target, name, value, &why), ERR_INVALID);
    check_says(why, text);
}

static void a_factor_counts_where_the_target_maps_it(void **state)
{
    struct why why;
    (void)state;
    check_ok(check("pitwall", "heap", "1g", &why), why);
    check_ok(check("twin", "target.young", "100m", &why), why);
    check_ok(check("nginx", "target.workers", "2", &why), why);
    check_ok(check("nginx", "target.sync", "on", &why), why);
    check_ok(check("nginx", "rmem", "low", &why), why);
    check_ok(check("nginx", "load.clients", "4", &why), why);
    refused("nginx", "heap", "1g",
            "factor heap: target nginx does not map it; it maps: "
            "target.workers:count target.sync:on|off");
    refused("nginx", "target.work", "1", "factor target.work: target nginx");
}

static void levels_have_the_form_that_the_target_takes(void **state)
{
    (void)state;
    refused("nginx", "target.workers", "many", "target.workers: ");
    refused("nginx", "target.sync", "maybe",
            "target.sync: \"maybe\" is not one of on|off");
    refused("twin", "target.colour", "red",
            "the target pitwall has no setting \"colour\"");
}

static void one_that_runs_by_itself_has_no_link_and_no_kernel(void **state)
{
    struct why why;
    (void)state;
    check_ok(check("far", "load.clients", "4", &why), why);
    check_ok(check("far", "congestion", "cubic", &why), why);
    refused("far", "rmem", "low",
            "factor rmem: target far runs by itself (\"managed\": false)");
    refused("far", "link", "veth", "factor link: target far");
    refused("far", "heap", "1g", "factor heap: target far");
    refused("far", "sysctl.net.ipv4.tcp_sack", "0", "target far runs by");
}

static void an_agent_that_says_nothing_is_believed(void **state)
{
    struct why why;
    (void)state;
    check_ok(check("other", "heap", "1g", &why), why);
}

static void what_cannot_be_started_has_its_reason(void **state)
{
    char text[300];
    (void)state;
    assert_string_equal(maps_missing(&agent, "es", text, sizeof text),
                        "no program /opt/es on this machine");
    assert_string_equal(maps_missing(&agent, "nginx", text, sizeof text), "");
    assert_string_equal(maps_missing(&agent, "none", text, sizeof text), "");
    assert_string_equal(maps_show(&agent, text, sizeof text),
                        "pitwall (heap predictor target.*), nginx "
                        "(target.workers:count target.sync:on|off), far "
                        "(unmanaged), twin (heap predictor target.*)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_counts_where_the_target_maps_it),
        cmocka_unit_test(levels_have_the_form_that_the_target_takes),
        cmocka_unit_test(one_that_runs_by_itself_has_no_link_and_no_kernel),
        cmocka_unit_test(an_agent_that_says_nothing_is_believed),
        cmocka_unit_test(what_cannot_be_started_has_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
