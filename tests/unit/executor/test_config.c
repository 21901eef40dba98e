#include <stdlib.h>
#include <unistd.h>

#include "agent/executor/config.h"
#include "tests/lib/check.h"

static enum err reads(struct config *c, const char *text, struct why *why)
{
    struct jv *root = NULL;
    check_ok(config_default(c, why), *why);
    check_ok(jv_parse(&root, "agent.json", text, strlen(text), why), *why);
    enum err e = config_read(c, root, "/nowhere", why);
    jv_free(root);
    return e;
}

static void
config_without_a_file_allows_tcp_settings_of_a_namespace(void **state)
{
    struct config c;
    struct why why;
    (void)state;
    check_ok(config_default(&c, &why), why);
    assert_string_equal(c.roles, "both");
    assert_string_equal(c.gate_user, "nobody");
    assert_true(c.name[0] != '\0');
    assert_true(config_allows_sysctl(&c, "net.ipv4.tcp_sack"));
    assert_false(config_allows_sysctl(&c, "kernel.panic"));
}

static void config_keeps_state_by_the_user_it_runs_as(void **state)
{
    struct config c;
    struct why why;
    (void)state;
    check_ok(config_default(&c, &why), why);
    if (geteuid() == 0) {
        assert_string_equal(c.state, "/var/lib/pitwall");
        return;
    }
    assert_int_equal(setenv("XDG_STATE_HOME", "/x/state", 1), 0);
    check_ok(config_default(&c, &why), why);
    assert_string_equal(c.state, "/x/state/pitwall");
}

static void config_takes_every_key(void **state)
{
    struct config c;
    struct why why;
    (void)state;
    check_ok(reads(&c,
                   "{\"version\":1,\"name\":\"a1\",\"listen\":\"ipc:///a\","
                   "\"roles\":\"target\",\"state\":\"/s\",\"gate_user\":\"g\","
                   "\"sysctls\":[\"net.ipv4.tcp_no_*\"],\"cpus\":\"0-3\","
                   "\"interface\":\"eth1\","
                   "\"limits\":{\"target\":{\"memory\":\"2g\"},"
                   "\"load\":{\"cpus\":0.5}},"
                   "\"governor\":\"performance\","
                   "\"turbo\":\"off\",\"thp\":\"never\",\"swappiness\":0,"
                   "\"numa_balancing\":\"off\",\"drop_caches\":true,"
                   "\"tls\":\"papers\"}",
                   &why),
             why);
    assert_string_equal(c.tls.key, "/nowhere/papers/key.pem");
    assert_string_equal(c.name, "a1");
    assert_string_equal(c.listen, "ipc:///a");
    assert_string_equal(c.roles, "target");
    assert_string_equal(c.state, "/s");
    assert_string_equal(c.gate_user, "g");
    assert_string_equal(c.cpus, "0-3");
    assert_string_equal(c.interface, "eth1");
    assert_int_equal(c.target_limits.memory_bytes, 2147483648u);
    assert_int_equal(c.load_limits.cpus_milli, 500);
    assert_string_equal(c.governor, "performance");
    assert_string_equal(c.turbo, "off");
    assert_string_equal(c.thp, "never");
    assert_string_equal(c.swappiness, "0");
    assert_string_equal(c.numa_balancing, "off");
    assert_true(c.drop_caches);
    assert_true(config_allows_sysctl(&c, "net.ipv4.tcp_no_metrics_save"));
    assert_false(config_allows_sysctl(&c, "net.ipv4.tcp_sack"));
}

static void config_with_an_empty_list_allows_no_sysctl(void **state)
{
    struct config c;
    struct why why;
    (void)state;
    check_ok(reads(&c, "{\"version\":1,\"sysctls\":[]}", &why), why);
    assert_false(config_allows_sysctl(&c, "net.ipv4.tcp_sack"));
}

static void config_refuses_by_file_line_and_key(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\"version\":1,\n\"colour\":1}", "agent.json:"},
        {"{\"version\":1,\n\"colour\":1}", "colour"},
        {"{\"version\":2}", "\"version\": 1"},
        {"{}", "\"version\": 1"},
        {"[]", "an object"},
        {"{\"version\":1,\"name\":7}", "name"},
        {"{\"version\":1,\"name\":\"\"}", "a text of 1 to 64 bytes"},
        {"{\"version\":1,\"roles\":\"all\"}", "both, target or load"},
        {"{\"version\":1,\"state\":\"rel\"}", "an absolute folder"},
        {"{\"version\":1,\"cpus\":\"x\"}", "0-3,6"},
        {"{\"version\":1,\"turbo\":\"yes\"}", "turbo: accepted is on or off"},
        {"{\"version\":1,\"swappiness\":201}", "number from 0 to 200"},
        {"{\"version\":1,\"swappiness\":1.5}", "number from 0 to 200"},
        {"{\"version\":1,\"swappiness\":\"1\"}", "number from 0 to 200"},
        {"{\"version\":1,\"numa_balancing\":\"1\"}", "on or off"},
        {"{\"version\":1,\"sysctls\":\"x\"}", "a list"},
        {"{\"version\":1,\"limits\":1}", "an object of target and load"},
        {"{\"version\":1,\"limits\":{\"watch\":{}}}", "watch"},
        {"{\"version\":1,\"limits\":{\"load\":{\"pids\":-1}}}", "limits.load"},
        {"{\"version\":1,\"sysctls\":[1]}", "a pattern of 1 to 79 bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct config c;
        struct why why = {0};
        check_err(reads(&c, bad[i].text, &why), ERR_INVALID);
        check_says(why, bad[i].says);
    }
}

static void config_load_names_the_file_that_is_not_there(void **state)
{
    struct config c;
    struct why why = {0};
    (void)state;
    check_err(config_load(&c, "/nowhere/agent.json", &why), ERR_NOTFOUND);
    check_says(why, "/nowhere/agent.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            config_without_a_file_allows_tcp_settings_of_a_namespace),
        cmocka_unit_test(config_keeps_state_by_the_user_it_runs_as),
        cmocka_unit_test(config_takes_every_key),
        cmocka_unit_test(config_with_an_empty_list_allows_no_sysctl),
        cmocka_unit_test(config_refuses_by_file_line_and_key),
        cmocka_unit_test(config_load_names_the_file_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
