#include <stdio.h>

#include "target/args.h"
#include "target/settings.h"
#include "tests/lib/check.h"

static enum err set(struct settings *s, const char *name, const char *value,
                    struct why *why)
{
    settings_default(s);
    return settings_set(s, name, value, why);
}

static void defaults_are_those_of_the_documentation(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    settings_default(&s);
    assert_string_equal(s.host, "127.0.0.1");
    assert_int_equal(s.port, 9200);
    assert_int_equal(s.heap_bytes, 1u << 30);
    assert_int_equal(s.predictor.max, 65536);
    assert_int_equal(s.predictor.reads_per_wakeup, 1);
    assert_int_equal(s.initial_buffer, 128);
    assert_int_equal(s.max_components, 1024);
    assert_int_equal(s.bulk_queue, 200);
    assert_true(s.threads >= 1);
    assert_int_equal(s.threads, s.bulk_threads);
    check_ok(settings_check(&s, &why), why);
}

static void every_option_can_be_set(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    static const char *const options[][2] = {{"listen", "[::1]:0"},
                                             {"heap", "256m"},
                                             {"young", "100m"},
                                             {"min-tlab", "64k"},
                                             {"predictor", "adaptive:1k-512k"},
                                             {"netty-rules", "4.1.7"},
                                             {"reads-per-wakeup", "16"},
                                             {"initial-buffer", "4096"},
                                             {"max-components", "69905"},
                                             {"body-copy", "on"},
                                             {"index", "none"},
                                             {"durability", "request"},
                                             {"threads", "3"},
                                             {"bulk-threads", "4"},
                                             {"bulk-queue", "50"},
                                             {"parse-work", "2"},
                                             {"data", "/tmp"},
                                             {"pretouch", "all"},
                                             {"gc-log", "/tmp/gc.log"},
                                             {"mode", "static"},
                                             {"static-bytes", "1000"},
                                             {"stall", "1s/10s"},
                                             {"slow", "5ms"}};
    char buf[2048] = "";
    settings_default(&s);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        check_ok(settings_set(&s, options[i][0], options[i][1], &why), why);
    struct out o = out_to(buf, sizeof buf - 1);
    settings_write(&s, &o);
    assert_string_equal(
        buf, "\"settings\":{\"listen\":\"[::1]:0\",\"heap\":268435456,"
             "\"young\":104857600,\"min_tlab\":65536,"
             "\"pretouch\":\"all\",\"predictor\":"
             "\"adaptive:1k-512k\",\"netty_rules\":\"4.1.7\","
             "\"reads_per_wakeup\":16,\"initial_buffer\":4096,"
             "\"max_components\":69905,\"body_copy\":\"on\",\"index\":\"none\","
             "\"durability\":\"request\",\"shards\":5,\"native_limit\":0,"
             "\"threads\":3,\"bulk_threads\":4,\"bulk_queue\":50,"
             "\"parse_work\":2,\"data\":\"/tmp\",\"gc_log\":\"/tmp/gc.log\","
             "\"alloc_log\":\"\","
             "\"mode\":\"static\",\"static_bytes\":1000,"
             "\"stall_ns\":1000000000,\"stall_period_ns\":10000000000,"
             "\"slow_ns\":5000000,\"slow_share\":\"0%\"}");
}

static void slow_is_a_time_or_a_share(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    check_ok(set(&s, "slow", "5ms", &why), why);
    assert_int_equal(s.slow_ns, 5000000);
    assert_true(s.slow_share == 0);
    check_ok(settings_set(&s, "slow", "2.5%", &why), why);
    assert_int_equal(s.slow_ns, 0);
    assert_true(s.slow_share == 0.025);
}

static void a_wrong_value_names_option_value_and_what_is_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *says;
    } bad[] = {
        {"listen", "9200", "--listen \"9200\": accepted are ADDRESS:PORT"},
        {"listen", ":9200", "ADDRESS:PORT"},
        {"listen", "127.0.0.1:65536", "ADDRESS:PORT"},
        {"listen", "127.0.0.1:", "ADDRESS:PORT"},
        {"heap", "lots", "--heap: \"lots\" is not a size"},
        {"predictor", "fixed", "--predictor: \"fixed\": accepted are"},
        {"netty-rules", "4.2",
         "--netty-rules \"4.2\": accepted are 4.1.7, 4.1.48"},
        {"reads-per-wakeup", "2", "accepted are 1, 16"},
        {"body-copy", "yes", "accepted are off, on"},
        {"mode", "echo", "accepted are ingest, static"},
        {"index", "lucene", "accepted are none, fts"},
        {"durability", "no", "accepted are async, request"},
        {"shards", "65", "accepted are 1 to 64"},
        {"native-limit", "much", "--native-limit"},
        {"threads", "0", "--threads \"0\": accepted are 1 to 64"},
        {"threads", "65", "1 to 64"},
        {"bulk-threads", "-1", "1 to 64"},
        {"bulk-queue", "0", "1 to 1048576"},
        {"parse-work", "1025", "--parse-work \"1025\": accepted are 0 to 1024"},
        {"initial-buffer", "0", "1 to 1048576"},
        {"max-components", "1", "2 to 1048576"},
        {"static-bytes", "1g", "0 to 16777216"},
        {"stall", "1s", "--stall: \"1s\" is not a length and a period"},
        {"slow", "61s", "--slow \"61s\": accepted are times up to 60s"},
        {"slow", "101%", "--slow \"101%\": accepted are times up to 60s and"},
        {"data", "/etc/passwd", "accepted are directories"},
        {"data", "/no/such/place", "/no/such/place: No such file"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct settings s;
        struct why why = {0};
        if (!set(&s, bad[i].name, bad[i].value, &why))
            fail_msg("--%s %s", bad[i].name, bad[i].value);
        check_says(why, bad[i].says);
    }
}

static void an_unknown_option_is_not_found(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    check_err(set(&s, "colour", "red", &why), ERR_NOTFOUND);
    check_says(why, "--colour");
}

static void options_are_checked_against_one_another(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    check_ok(set(&s, "heap", "1m", &why), why);
    check_err(settings_check(&s, &why), ERR_RANGE);
    check_says(why, "--heap 1m: at least 2m");
    check_ok(set(&s, "young", "1g", &why), why);
    check_err(settings_check(&s, &why), ERR_RANGE);
    check_says(why, "--young 1g: less than --heap 1g");
    check_ok(set(&s, "young", "100k", &why), why);
    check_err(settings_check(&s, &why), ERR_RANGE);
    check_says(why, "--young 100k: at least 640k");
    check_ok(set(&s, "min-tlab", "1g", &why), why);
    check_err(settings_check(&s, &why), ERR_RANGE);
    /* 1 GiB / 3 / 2 */
    check_says(why, "--min-tlab 1g: at most half of the young generation, "
                    "178956970");
}

static enum err parse(struct settings *s, struct why *why, const char *one,
                      const char *two)
{
    char *argv[4] = {(char[]){"pitwall-target"}, NULL, NULL, NULL};
    char a[128], b[128];
    int argc = 1;
    if (one) {
        (void)snprintf(a, sizeof a, "%s", one);
        argv[argc++] = a;
    }
    if (two) {
        (void)snprintf(b, sizeof b, "%s", two);
        argv[argc++] = b;
    }
    return args_parse(s, argc, argv, why);
}

static void the_command_line_sets_options_by_name(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    check_ok(parse(&s, &why, "--heap=64m", "--child"), why);
    assert_int_equal(s.heap_bytes, 64u << 20);
    assert_true(s.child);
    check_ok(parse(&s, &why, "--predictor", "fixed:32k"), why);
    assert_int_equal(s.predictor.max, 32768);
    assert_false(s.child);
    check_ok(parse(&s, &why, NULL, NULL), why);
}

static void the_command_line_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    struct settings s;
    struct why why = {0};
    check_err(parse(&s, &why, "--heap=64q", NULL), ERR_INVALID);
    check_says(why, "--heap");
    check_err(parse(&s, &why, "9200", NULL), ERR_USAGE);
    check_says(why, "\"9200\": there are only options");
    check_err(parse(&s, &why, "--heap=1k", NULL), ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_documentation),
        cmocka_unit_test(every_option_can_be_set),
        cmocka_unit_test(slow_is_a_time_or_a_share),
        cmocka_unit_test(a_wrong_value_names_option_value_and_what_is_accepted),
        cmocka_unit_test(an_unknown_option_is_not_found),
        cmocka_unit_test(options_are_checked_against_one_another),
        cmocka_unit_test(the_command_line_sets_options_by_name),
        cmocka_unit_test(the_command_line_refuses_what_it_does_not_know)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
