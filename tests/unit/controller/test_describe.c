/* What plan and agents print: argv[1] is the source tree. */
#include <stdio.h>
#include <stdlib.h>

#include "controller/describe.h"
#include "controller/table.h"
#include "tests/lib/check.h"

static const struct ceiling_plans no_ceilings;

static const char *root;
static struct grid grid;
static char *text;

static int begin(void **state)
{
    (void)state;
    grid_init(&grid);
    return 0;
}

static int end(void **state)
{
    (void)state;
    grid_fini(&grid);
    free(text);
    text = NULL;
    return 0;
}

static void print(void)
{
    struct why why = {""};
    check_ok(table_print(&grid, TABLE_TEXT, &text, &why), why);
}

static void a_plan_tells_trials_order_seed_and_time(void **state)
{
    (void)state;
    struct why why = {""};
    struct trials *trials = NULL;
    struct experiment *ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    (void)snprintf(ex->track, sizeof ex->track, "%s/tracks/geonames.json",
                   root);
    (void)snprintf(ex->name, sizeof ex->name, "x");
    ex->iterations = 2;
    ex->seed = 1;
    ex->canary = CANARY_ON;
    ex->warmup_ns = 200000000;
    ex->measure_ns = 1000000000;
    ex->order = ORDER_LISTED;
    check_ok(experiment_option(ex, "heap=256m,1g", &why), why);
    check_ok(experiment_option(ex, "link=eth@veth:mtu=1500", &why), why);
    check_ok(trials_make(&trials, ex, false, &why), why);
    (void)snprintf(ex->track, sizeof ex->track, "geonames");
    struct lab lab = {.name = "lab1"};
    const struct labs labs = {.items = {&lab}, .n = 1};
    describe_trials(trials, &labs, &no_ceilings, &grid);
    print();
    /* 6 trials of 0.2 + 1 + 0.7 s: 11.4 s, rounded up */
    assert_string_equal(
        text,
        "experiment \"x\": track geonames, target pitwall\n"
        "2 cells + canary (cell 1 again, hidden) x 2 iterations = 6 trials on "
        "lab1\n"
        "order listed, seed 1\n"
        "factor heap: 256m, 1g\n"
        "factor link: eth@veth:mtu=1500\n"
        "each 200.00 ms warm-up + 1.00 s measured, about 0:12 in all\n"
        "\n"
        "trial block cell      note\n"
        "    1     1 heap=256m\n"
        "    2     1 heap=1g\n"
        "    3     1 heap=256m canary\n"
        "    4     2 heap=256m\n"
        "    5     2 heap=1g\n"
        "    6     2 heap=256m canary\n");
    trials_free(trials);
    free(ex);
}

static void agents_are_rows_also_those_out_of_reach(void **state)
{
    (void)state;
    static struct msg_hello_reply hello;
    memset(&hello, 0, sizeof hello);
    (void)snprintf(hello.name, sizeof hello.name, "lab1");
    (void)snprintf(hello.version, sizeof hello.version, "0.1.0");
    (void)snprintf(hello.roles, sizeof hello.roles, "both");
    (void)snprintf(hello.targets, sizeof hello.targets, "pitwall");
    (void)snprintf(hello.features, sizeof hello.features, "netns,tbf");
    (void)snprintf(hello.facts, sizeof hello.facts,
                   "kernel=6.1\nmachine.governor=not there\nmachine.thp=never\n"
                   "interface.features=a b\ninterface.dev=eth0\n");
    hello.cpus = 2;
    hello.memory_bytes = 3ull << 30;
    describe_agents(&grid);
    describe_agent(&grid, "ipc:///a", &hello, "");
    struct msg_settled settled = {
        .owner = "0f3c1d6e-0000-4000-8000-000000000001",
        .left_ns = 90000000000,
        .attempt = "a-1-1",
        .changes = "sysctl a: \"1\" -> \"0\", applied; would write \"1\"\n"};
    const struct describe_clock clock = {.offset_ns = -2500000,
                                         .bound_ns = 100000};
    const struct cert cert = {.name = "lab1", .until_s = 1000 + 3 * 86400};
    describe_ways(&grid, &hello, &clock, &cert, 1000);
    describe_settled(&grid, &settled);
    describe_agent(&grid, "ipc:///b", NULL, "No such file or directory");
    print();
    assert_string_equal(
        text,
        "machine of lab1: governor not there; thp never\n"
        "interface of lab1: dev eth0\n\n"
        "agent       url      version roles cpus   memory targets features  "
        "missing                   lease                machine"
        "                                              links                "
        "           clock                certificate\n"
        "lab1        ipc:///a 0.1.0   both     2 3.00 GiB pitwall netns,tbf "
        "                          0f3c1d6e for 90.00 s 1 settings changed for "
        "attempt a-1-1, to be put back loopback, veth, ethernet (eth0) "
        "-2.50 ms ± 100.00 us 3 days left\n"
        "unreachable ipc:///b                                               "
        "No such file or directory\n");
}

static void a_certificate_ends_in_days_then_in_hours(void **state)
{
    (void)state;
    struct cert cert = {.from_s = 1000, .until_s = 1000 + 2 * 86400};
    char left[64];
    assert_string_equal(describe_cert(&cert, 1000, left, sizeof left),
                        "2 days left");
    /* 47 h 59 min 59 s */
    assert_string_equal(describe_cert(&cert, 1001, left, sizeof left),
                        "47 hours left");
    assert_string_equal(
        describe_cert(&cert, 1001 + 2 * 86400, left, sizeof left),
        "expired 1970-01-03 00:16Z"); /* 1000 s are 16 min 40 s */
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    root = argv[1];
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(a_plan_tells_trials_order_seed_and_time),
        CASE(agents_are_rows_also_those_out_of_reach),
        CASE(a_certificate_ends_in_days_then_in_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
