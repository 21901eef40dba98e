#include "agent/watch/args.h"
#include "agent/watch/sampler.h"
#include "tests/lib/check.h"

static void args_devices_reads_a_list(void **state)
{
    (void)state;
    unsigned d = 99;
    struct why why = {0};
    check_ok(args_devices("link,tcp", &d, &why), why);
    assert_int_equal(d, DEVICE_LINK | DEVICE_TCP);
    check_ok(args_devices("target", &d, &why), why);
    assert_int_equal(d, DEVICE_TARGET);
    check_ok(args_devices("", &d, &why), why);
    assert_int_equal(d, DEVICE_ALL);
    check_ok(args_devices("capacity", &d, &why), why);
    assert_int_equal(d, DEVICE_CAPACITY);
    assert_false(DEVICE_ALL & d);
    check_ok(args_devices("none", &d, &why), why);
    assert_int_equal(d, 0);
}

static void args_devices_names_the_word_it_does_not_know(void **state)
{
    (void)state;
    static const char *const lists[] = {"gpu",      "cpu,gpu", "cpu,,tcp", ",",
                                        "none,cpu", "CPU",     "cpu,"};
    unsigned d = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct why why = {0};
        check_err(args_devices(lists[i], &d, &why), ERR_USAGE);
        check_says(why, "telemetry \"");
    }
    struct why why = {0};
    check_err(args_devices("cpu,gpu", &d, &why), ERR_USAGE);
    check_says(why, "\"gpu\": of link, tcp, cpu, disk, proc, target, "
                    "capacity, perf, reads, or none");
}

static void args_parse_fills_what_the_executor_gives(void **state)
{
    (void)state;
    char *argv[] = {"pitwall-watch", "--child", "--side",
                    "target",        "--url",   "http://127.0.0.1:9200",
                    "--port",        "9200",    "--telemetry",
                    "tcp,cpu",       "--pgrp",  NULL};
    struct watch_args a;
    args_parse(&a, 11, argv);
    assert_false(a.load_side);
    assert_string_equal(a.url, "http://127.0.0.1:9200");
    assert_int_equal(a.port, 9200);
    assert_int_equal(a.devices, DEVICE_TCP | DEVICE_CPU);
    assert_true(a.own_pgrp);
    assert_int_equal(a.control, 3);
    assert_int_equal(a.data, 4);
}

static void args_parse_watches_everything_without_a_list(void **state)
{
    (void)state;
    char *argv[] = {"pitwall-watch", "--child", "--side=load", "--port=1",
                    NULL};
    struct watch_args a;
    args_parse(&a, 4, argv);
    assert_true(a.load_side);
    assert_null(a.url);
    assert_int_equal(a.devices, DEVICE_ALL);
    assert_false(a.own_pgrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(args_devices_reads_a_list),
        cmocka_unit_test(args_devices_names_the_word_it_does_not_know),
        cmocka_unit_test(args_parse_fills_what_the_executor_gives),
        cmocka_unit_test(args_parse_watches_everything_without_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
