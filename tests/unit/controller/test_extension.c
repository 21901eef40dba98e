/* What may be added to an experiment, and what may not. */
#include <stdlib.h>

#include "controller/extension.h"
#include "tests/lib/check.h"

static struct experiment *ex;

/* heap=1g,2g, and rmem zipped with link; 3 iterations. */
static int begin(void **state)
{
    struct why why = {""};
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    ex->iterations = 3;
    check_ok(experiment_option(ex, "heap=1g,2g", &why), why);
    check_ok(experiment_option(ex, "rmem=low,high", &why), why);
    check_ok(experiment_option(ex, "link=loopback,veth:mtu=1500", &why), why);
    check_ok(experiment_zip(ex, "rmem,link", &why), why);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(ex);
    return 0;
}

static uint32_t added(const char *blocks, const char *level)
{
    const struct extension x = {
        .blocks = blocks, .levels = &level, .n_levels = level ? 1 : 0};
    struct why why = {""};
    uint32_t n = 0;
    check_ok(extension_apply(&x, ex, &n, &why), why);
    return n;
}

static void refused(const char *blocks, const char *level, const char *want)
{
    const struct extension x = {
        .blocks = blocks, .levels = &level, .n_levels = level ? 1 : 0};
    struct why why = {""};
    uint32_t n = 0;
    assert_int_not_equal(extension_apply(&x, ex, &n, &why), ERR_OK);
    assert_string_equal(why.text, want);
}

static void blocks_are_added(void **state)
{
    (void)state;
    assert_int_equal(added("+6", NULL), 6);
    assert_int_equal(ex->iterations, 9);
    assert_int_equal(ex->axes[0].n_levels, 2);
}

static void levels_come_last_with_as_many_blocks_as_there_were(void **state)
{
    (void)state;
    assert_int_equal(added(NULL, "heap+=512m,big@4g"), 3);
    assert_int_equal(ex->iterations, 6);
    assert_int_equal(ex->axes[0].n_levels, 4);
    assert_string_equal(ex->axes[0].levels[1].label, "2g");
    assert_string_equal(ex->axes[0].levels[3].label, "big");
}

static void what_cannot_be_added_is_told(void **state)
{
    (void)state;
    refused(NULL, NULL, "nothing to add: give -n +6 or -m NAME+=LEVEL,...");
    refused("6", NULL,
            "-n: \"6\" is not +N, such as +6 for six iterations more");
    refused("+0", NULL, "-n: \"+0\" adds nothing");
    refused("+9998", NULL, "-n: 3 iterations and 9998 more are over 10000");
    refused(NULL, "heap=4g", "-m: \"heap=4g\" is not NAME+=LEVEL,...");
    refused(NULL, "heap+=1g", "-m: heap: level \"1g\" stands there twice");
    refused(NULL, "predictor+=fixed:1k",
            "-m: \"predictor\" is no factor of this experiment: what level "
            "its trials had is not known");
    refused(NULL, "rmem+=default",
            "rmem and link are zipped: add as many levels to both");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(blocks_are_added),
        WITH(levels_come_last_with_as_many_blocks_as_there_were),
        WITH(what_cannot_be_added_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
