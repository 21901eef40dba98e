#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/executor/options.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static const struct options none = {.parent_fd = -1};

static void options_parse_takes_long_and_short_names(void **state)
{
    char *argv[] = {"pitwall-agent",
                    "-c",
                    "a.json",
                    "--listen",
                    "ipc:///a",
                    "--state=/s",
                    "--name",
                    "n1",
                    "--insecure-plain",
                    "--parent-fd",
                    "0",
                    "--check",
                    NULL};
    struct options o;
    (void)state;
    options_parse(&o, 12, argv);
    assert_string_equal(o.config, "a.json");
    assert_string_equal(o.listen, "ipc:///a");
    assert_string_equal(o.state, "/s");
    assert_string_equal(o.name, "n1");
    assert_int_equal(o.parent_fd, 0);
    assert_true(o.insecure_plain);
    assert_int_equal(o.verb, OPTIONS_CHECK);
}

static void options_parse_of_nothing_runs_without_a_parent(void **state)
{
    char *argv[] = {"pitwall-agent", NULL};
    struct options o;
    (void)state;
    options_parse(&o, 1, argv);
    assert_int_equal(o.verb, OPTIONS_RUN);
    assert_int_equal(o.parent_fd, -1);
    assert_null(o.config);
    assert_false(o.insecure_plain);
}

static void options_override_the_file(void **state)
{
    const struct scratch *s = *state;
    struct options o = none;
    struct config c;
    struct why why = {0};
    char path[100];
    static const char file[] = "{\"version\":1,\"name\":\"of-file\","
                               "\"state\":\"/of/file\",\"cpus\":\"0\"}";
    scratch_write(s, "agent.json", file, sizeof file - 1);
    (void)snprintf(path, sizeof path, "%s/agent.json", s->path);
    o.config = path;
    o.name = "of-options";
    check_ok(options_config(&o, &c, &why), why);
    assert_string_equal(c.name, "of-options");
    assert_string_equal(c.state, "/of/file");
    assert_string_equal(c.cpus, "0");
    assert_false(c.insecure_plain);
    config_fini(&c);
}

static void options_make_the_state_folder_absolute(void **state)
{
    const struct scratch *s = *state;
    struct options o = none;
    struct config c;
    struct why why = {0};
    char want[100];
    o.state = "here";
    assert_int_equal(chdir(s->path), 0);
    check_ok(options_config(&o, &c, &why), why);
    (void)snprintf(want, sizeof want, "%s/here", s->path);
    assert_string_equal(c.state, want);
    config_fini(&c);
    assert_int_equal(chdir("/"), 0);
}

static void options_refuse_values_that_are_empty_or_too_long(void **state)
{
    struct options o = none;
    struct config c;
    struct why why = {0};
    char long_name[66];
    (void)state;
    memset(long_name, 'a', 65);
    long_name[65] = '\0';
    o.name = long_name;
    check_err(options_config(&o, &c, &why), ERR_USAGE);
    config_fini(&c);
    check_says(why, "accepted: 1 to 64 bytes");
    o.name = "";
    check_err(options_config(&o, &c, &why), ERR_USAGE);
    config_fini(&c);
    o.name = NULL;
    o.config = "/nowhere.json";
    check_err(options_config(&o, &c, &why), ERR_NOTFOUND);
    config_fini(&c);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_parse_takes_long_and_short_names),
        cmocka_unit_test(options_parse_of_nothing_runs_without_a_parent),
        IN_SCRATCH(options_override_the_file),
        IN_SCRATCH(options_make_the_state_folder_absolute),
        cmocka_unit_test(options_refuse_values_that_are_empty_or_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
