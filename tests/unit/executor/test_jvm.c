#include <stdio.h>

#include "agent/executor/jvm.h"
#include "agent/executor/target_make.h"
#include "agent/executor/target_read.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct targets targets;
static struct command argv, env; /* large */

static int forget(void **state)
{
    (void)state;
    targets_free(&targets);
    return 0;
}

/* A definition of this text, called own. */
static enum err reads_in(const char *folder, const char *text, struct why *why)
{
    struct jv *root = NULL;
    *why = (struct why){0};
    check_ok(jv_parse(&root, "own.json", text, strlen(text), why), *why);
    check_ok(targets_keep(&targets, root, why), *why);
    return target_read(&targets, "own", folder, root, why);
}

static const struct target_def *own(const char *text)
{
    struct why why;
    const struct target_def *def = NULL;
    targets_free(&targets);
    check_ok(reads_in("/folder", text, &why), why);
    check_ok(target_find(&targets, "own", &def, &why), why);
    return def;
}

static void refuses(const char *text, const char *says)
{
    struct why why;
    check_err(reads_in("/folder", text, &why), ERR_INVALID);
    check_says(why, says);
    check_says(why, "own.json:");
}

static const struct trial_spec spec = {.heap_bytes = 1u << 30,
                                       .predictor = "fixed:64k"};

static const struct target_ground ground = {
    .address = "10.77.0.1", .data = "/s/work", .port = 9200, .cpus = 2};

#define LOG                                                                    \
    "-Xlog:gc*=info,safepoint=info:file=/s/work/gc.log:uptime,timenanos,"      \
    "level,tags:filecount=0"
#define REST                                                                   \
    "-XX:+UsePerfData",                                                        \
        "-XX:FlightRecorderOptions=repository=/s/work/"                        \
        "recording,maxchunksize=8m",                                           \
        "-XX:StartFlightRecording=name=pitwall,settings=/s/work/pitwall.jfc,"  \
        "filename=/s/work/recording.jfr,dumponexit=true,maxsize=512m"

static void target_jvm_gets_its_options_where_the_definition_says(void **state)
{
    static const char *const options[] = {"sh", "-Xmx1g", LOG, REST, "Main"};
    struct why why = {0};
    (void)state;
    check_ok(target_make(&argv, &env,
                         own("{\"jvm\":true,\"argv\":[\"sh\",\"-Xmx1g\",\"{{"
                             "jvm}}\",\"Main\"]}"),
                         &spec, &ground, &why),
             why);
    assert_int_equal(argv.n, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(argv.argv[i], options[i]);
    assert_int_equal(env.n, 0);
}

static void target_jvm_gets_its_options_by_a_variable_else(void **state)
{
    static const char *const options[] = {LOG, REST};
    static const char *const cases[][2] = {
        {"{\"jvm\":true,\"argv\":[\"sh\"]}", "JAVA_TOOL_OPTIONS="},
        {"{\"jvm\":true,\"argv\":[\"sh\"],\"env\":{\"ES_JAVA_OPTS\":"
         "\"{{jvm}}\"}}",
         "ES_JAVA_OPTS="}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char want[1000];
        struct why why = {0};
        (void)snprintf(want, sizeof want, "%s%s %s %s %s", cases[i][1],
                       options[0], options[1], options[2], options[3]);
        check_ok(
            target_make(&argv, &env, own(cases[i][0]), &spec, &ground, &why),
            why);
        assert_int_equal(env.n, 1);
        assert_string_equal(env.argv[0], want);
    }
}

static void target_jvm_refuses_what_would_not_reach_it(void **state)
{
    const struct target_ground strange = {.address = "", .data = "/s, t/work"};
    struct why why = {0};
    (void)state;
    refuses("{\"jvm\":1,\"argv\":[\"sh\"]}", "true or false");
    refuses("{\"argv\":[\"sh\",\"{{jvm}}\"]}", "{{jvm}} is not known");
    refuses("{\"jvm\":true,\"argv\":[\"sh\"],\"env\":{\"JAVA_TOOL_OPTIONS\":"
            "\"-Xint\"}}",
            "a text with {{jvm}} in it");
    refuses("{\"jvm\":true,\"like\":\"pitwall\",\"argv\":[\"sh\"]}",
            "unknown key \"jvm\"");
    check_err(target_make(&argv, &env, own("{\"jvm\":true,\"argv\":[\"sh\"]}"),
                          &spec, &strange, &why),
              ERR_UNSUPPORTED);
    check_says(why, "\"jvm\": the agent's state folder /s, t/work; accepted");
}

static void target_jvm_finds_what_to_record_in_its_folder(void **state)
{
    const struct scratch *s = *state;
    struct why why = {0};
    char text[2000];
    check_ok(target_write_files(s->fd, own("{\"jvm\":true,\"argv\":[\"sh\"]}"),
                                &spec, &ground, &why),
             why);
    scratch_read(s, "pitwall.jfc", text, sizeof text);
    assert_string_equal(text, jvm_settings);
    (void)forget(NULL);
}

#define OF_TEXT(test) cmocka_unit_test_teardown(test, forget)
#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_TEXT(target_jvm_gets_its_options_where_the_definition_says),
        OF_TEXT(target_jvm_gets_its_options_by_a_variable_else),
        OF_TEXT(target_jvm_refuses_what_would_not_reach_it),
        IN_SCRATCH(target_jvm_finds_what_to_record_in_its_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
