#include <stdio.h>

#include "agent/executor/command.h"
#include "tests/lib/check.h"

static const struct command_ground veth = {.address = "10.77.0.1",
                                           .port = 9200};

static void makes(enum part part, const struct trial_spec *spec,
                  const struct command_ground *ground, const char *want)
{
    struct command c;
    struct why why = {0};
    char line[4096] = "";
    size_t used = 0;
    check_ok(command_make(&c, part, spec, ground, &why), why);
    for (size_t i = 0; i < c.n; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s",
                                 i ? " " : "", c.argv[i]);
    assert_null(c.argv[c.n]);
    assert_string_equal(line, want);
}

static void
command_of_the_target_has_heap_predictor_and_parameters(void **state)
{
    struct trial_spec spec = {.heap_bytes = 1073741824,
                              .predictor = "fixed:64k",
                              .target_params = "initial_buffer=128\n"
                                               "index=none"};
    (void)state;
    makes(PART_TARGET, &spec, &veth,
          "pitwall-target --child --listen 10.77.0.1:9200 --gc-log gc.log "
          "--heap 1073741824 --predictor fixed:64k --initial-buffer=128 "
          "--index=none");
}

static void command_of_the_target_leaves_out_what_is_not_given(void **state)
{
    struct trial_spec spec = {.target = "pitwall"};
    (void)state;
    makes(PART_TARGET, &spec, &veth,
          "pitwall-target --child --listen 10.77.0.1:9200 --gc-log gc.log");
}

static void command_of_load_has_target_and_congestion(void **state)
{
    struct trial_spec spec = {.congestion = "bbr",
                              .load_params = "requests_per_connection=10\n"};
    (void)state;
    makes(PART_LOAD, &spec, &veth,
          "pitwall-load --child --target http://10.77.0.1:9200 --congestion "
          "bbr --requests-per-connection=10");
    (void)snprintf(spec.target_url, sizeof spec.target_url,
                   "http://10.0.0.5:1");
    spec.congestion[0] = spec.load_params[0] = '\0';
    makes(PART_LOAD, &spec, &veth,
          "pitwall-load --child --target http://10.0.0.5:1");
}

static void command_of_a_watch_names_side_port_and_telemetry(void **state)
{
    struct trial_spec spec = {.telemetry = "link,tcp"};
    struct command_ground plain = {
        .address = "127.0.0.1", .port = 9201, .plain = true};
    (void)state;
    makes(PART_WATCH_TARGET, &spec, &veth,
          "pitwall-watch --child --side target --url http://10.77.0.1:9200 "
          "--port 9200 --telemetry link,tcp");
    (void)snprintf(spec.telemetry, sizeof spec.telemetry, "cpu,capacity");
    makes(PART_WATCH_LOAD, &spec, &veth,
          "pitwall-watch --child --side load --port 9200 --telemetry "
          "cpu,capacity --address 10.77.0.1");
    (void)snprintf(spec.target_url, sizeof spec.target_url,
                   "http://10.0.0.5:9200");
    makes(PART_WATCH_LOAD, &spec, &veth,
          "pitwall-watch --child --side load --port 9200 --telemetry "
          "cpu,capacity --address 10.0.0.5");
    spec.share_index = 1; /* the first one asks */
    makes(PART_WATCH_LOAD, &spec, &veth,
          "pitwall-watch --child --side load --port 9200 --telemetry "
          "cpu,capacity");
    spec.share_index = 0;
    (void)snprintf(spec.congestion, sizeof spec.congestion, "reno");
    makes(PART_WATCH_LOAD, &spec, &veth,
          "pitwall-watch --child --side load --port 9200 --telemetry "
          "cpu,capacity --address 10.0.0.5 --congestion reno");
    spec.congestion[0] = '\0';
    spec.telemetry[0] = spec.target_url[0] = '\0';
    makes(PART_WATCH_LOAD, &spec, &plain,
          "pitwall-watch --child --side load --port 9201 --pgrp");
}

static void command_keeps_a_value_as_it_is(void **state)
{
    struct trial_spec spec = {.load_params = "header=a_b=c; rm -rf $HOME `x`"};
    (void)state;
    makes(PART_LOAD, &spec, &veth,
          "pitwall-load --child --target http://10.77.0.1:9200 "
          "--header=a_b=c; rm -rf $HOME `x`");
}

static void command_refuses_parameters_without_a_name(void **state)
{
    static const char *const bad[] = {
        "x", "=1", "A=1", "a b=1", "a-b=1", "ok=1\n--data=/", "a/b=1"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trial_spec spec = {.target = "pitwall"};
        struct command c;
        struct why why = {0};
        (void)snprintf(spec.target_params, sizeof spec.target_params, "%s",
                       bad[i]);
        check_err(command_make(&c, PART_TARGET, &spec, &veth, &why),
                  ERR_INVALID);
        check_says(why, "command of the target: parameter \"");
    }
}

static void command_refuses_more_arguments_than_fit(void **state)
{
    struct trial_spec spec = {.target = "pitwall"};
    struct command c;
    struct why why = {0};
    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(spec.target_params, "a=1\n");
    check_err(command_make(&c, PART_TARGET, &spec, &veth, &why), ERR_RANGE);
    check_says(why, "too many parameters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            command_of_the_target_has_heap_predictor_and_parameters),
        cmocka_unit_test(command_of_the_target_leaves_out_what_is_not_given),
        cmocka_unit_test(command_of_load_has_target_and_congestion),
        cmocka_unit_test(command_of_a_watch_names_side_port_and_telemetry),
        cmocka_unit_test(command_keeps_a_value_as_it_is),
        cmocka_unit_test(command_refuses_parameters_without_a_name),
        cmocka_unit_test(command_refuses_more_arguments_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
