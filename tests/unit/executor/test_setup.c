#include <stdio.h>

#include "agent/executor/effective.h"
#include "agent/executor/setup.h"
#include "common/clock.h"
#include "tests/lib/check.h"

static struct setup made; /* large */

static struct trial_spec loopback(void)
{
    return (struct trial_spec){.cell = "heap=1g",
                               .role = "both",
                               .link_kind = "loopback",
                               .target = "pitwall",
                               .ready_ns = NS_PER_S,
                               .drain_ns = NS_PER_S};
}

static struct facts machine(enum facts_mode mode)
{
    struct facts f = {.mode = mode,
                      .refusal = "not permitted",
                      .nic = {.dev = "eth0", .address = "10.9.0.1"}};
    (void)snprintf(f.groups_missing, sizeof f.groups_missing,
                   "no such groups here");
    f.veth = f.tbf = mode != FACTS_PLAIN;
    CPU_ZERO(&f.cpus);
    CPU_SET(0, &f.cpus);
    CPU_SET(1, &f.cpus);
    return f;
}

static enum err make(const struct trial_spec *spec, enum facts_mode mode,
                     struct why *why)
{
    static struct config config = {.sysctls = {"net.*"}, .n_sysctls = 1};
    struct facts facts = machine(mode);
    *why = (struct why){0};
    const struct setup_place place = {.work = "/s/work", .port = SETUP_PORT};
    return setup_make(&made, spec, &facts, &config, &place, why);
}

static void refuses(const struct trial_spec *spec, enum facts_mode mode,
                    enum err want, const char *says)
{
    struct why why;
    check_err(make(spec, mode, &why), want);
    check_says(why, says);
}

static void setup_of_both_roles_has_four_parts(void **state)
{
    struct trial_spec spec = loopback();
    struct why why;
    (void)state;
    check_ok(make(&spec, FACTS_NETNS, &why), why);
    assert_int_equal(made.parts, 15);
    assert_string_equal(made.address, "127.0.0.1");
    assert_string_equal(made.commands[PART_WATCH_LOAD].argv[0],
                        "pitwall-watch");
    /* rmem is read even where it is not set. */
    assert_int_equal(made.n_sysctls, 1);
    assert_false(made.sysctls[0].wanted);
}

static void setup_sends_one_role_to_a_second_machine(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    (void)snprintf(spec.role, sizeof spec.role, "load");
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED, "needs a second machine");
    (void)snprintf(spec.role, sizeof spec.role, "all");
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "role \"all\"");
}

static void setup_of_ethernet_proposes_veth(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "ethernet");
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED, "use veth:mtu=1500");
}

static struct trial_spec ethernet(const char *role, const char *url)
{
    struct trial_spec spec = loopback();
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "ethernet");
    (void)snprintf(spec.role, sizeof spec.role, "%s", role);
    (void)snprintf(spec.target_url, sizeof spec.target_url, "%s", url);
    return spec;
}

/* Each machine has its own two parts; the target listens on the address that
 * the agent's interface has, load goes where the controller says. */
static void setup_of_ethernet_has_one_side_each(void **state)
{
    (void)state;
    struct why why;
    struct trial_spec spec = ethernet("target", "");
    check_ok(make(&spec, FACTS_PLAIN, &why), why);
    assert_int_equal(made.parts, 3);
    assert_string_equal(made.address, "10.9.0.1");
    assert_string_equal(made.commands[PART_TARGET].argv[3], "10.9.0.1:9200");
    spec = ethernet("load", "http://10.9.0.1:9207");
    spec.share_index = 1;
    spec.share_of = 2;
    check_ok(make(&spec, FACTS_NETNS, &why), why);
    assert_int_equal(made.parts, 12);
    assert_int_equal(made.port, 9207);
    assert_string_equal(made.link.peer, "10.9.0.1");
    assert_string_equal(made.commands[PART_LOAD].argv[3],
                        "http://10.9.0.1:9207");
    assert_string_equal(made.commands[PART_LOAD].argv[5], "1/2");
}

static void setup_of_ethernet_sets_the_machine_as_root_only(void **state)
{
    (void)state;
    struct trial_spec spec = ethernet("target", "");
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    struct why why;
    refuses(&spec, FACTS_USERNS, ERR_UNSUPPORTED,
            "rmem with link ethernet is a setting of the whole machine");
    check_ok(make(&spec, FACTS_NETNS, &why), why);
    assert_true(made.sysctls[0].wanted && made.sysctls[0].host);
    spec = ethernet("target", "");
    (void)snprintf(spec.sysctls, sizeof spec.sysctls, "net.ipv4.tcp_sack=0");
    refuses(&spec, FACTS_USERNS, ERR_UNSUPPORTED,
            "sysctl with link ethernet is a setting of the whole machine");
    spec = ethernet("target", "");
    (void)snprintf(spec.nic, sizeof spec.nic, "mtu=1400\nrx-gro=off\n");
    refuses(&spec, FACTS_NETNS, ERR_PERMISSION,
            "nic: trials may set only an interface that the agent's");
    spec = ethernet("target", "");
    spec.link_mtu = 1500;
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED, "no mtu, rate, burst");
    spec = ethernet("load", "http://host:9200");
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "accepted: http://A.B.C.D:PORT");
    spec = ethernet("load", "http://10.9.0.1");
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "target_url \"http://10.9.0.1\"");
}

static void setup_without_namespaces_is_plain_loopback_only(void **state)
{
    struct trial_spec spec = loopback();
    struct why why;
    (void)state;
    check_ok(make(&spec, FACTS_PLAIN, &why), why);
    assert_string_equal(made.commands[PART_WATCH_LOAD].argv[6], "--pgrp");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    refuses(&spec, FACTS_PLAIN, ERR_UNSUPPORTED,
            "link veth: no namespaces (not permitted)");
    check_err(make(&spec, FACTS_PLAIN, &why), ERR_UNSUPPORTED);
    check_says(why, "run pitwall-agent as root");
    spec = loopback();
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    refuses(&spec, FACTS_PLAIN, ERR_UNSUPPORTED, "rmem: no namespaces");
    spec = loopback();
    spec.link_mtu = 1500;
    refuses(&spec, FACTS_PLAIN, ERR_UNSUPPORTED, "link mtu and offloads");
    spec = loopback();
    (void)snprintf(spec.sysctls, sizeof spec.sysctls, "net.ipv4.tcp_sack=0");
    refuses(&spec, FACTS_PLAIN, ERR_UNSUPPORTED, "sysctl: no namespaces");
}

static void setup_refuses_a_delay_where_the_kernel_has_no_netem(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    spec.link_delay_ns = NS_PER_MS;
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED,
            "link delay: no delay on links: this kernel has no netem");
}

static void setup_takes_rmem_first_and_sysctls_in_their_order(void **state)
{
    struct trial_spec spec = loopback();
    struct why why;
    (void)state;
    spec.rmem_min = 4096;
    spec.rmem_default = 131072;
    spec.rmem_max = 6291456;
    (void)snprintf(spec.sysctls, sizeof spec.sysctls,
                   "net.ipv4.tcp_sack=0\nnet.ipv4.tcp_no_metrics_save=1\n");
    check_ok(make(&spec, FACTS_USERNS, &why), why);
    assert_int_equal(made.n_sysctls, 3);
    assert_string_equal(made.sysctls[0].name, "net.ipv4.tcp_rmem");
    assert_string_equal(made.sysctls[0].value, "4096 131072 6291456");
    assert_string_equal(made.sysctls[1].name, "net.ipv4.tcp_sack");
    assert_string_equal(made.sysctls[1].value, "0");
    assert_string_equal(made.sysctls[2].value, "1");
}

static void setup_refuses_settings_that_are_not_allowed(void **state)
{
    static const struct {
        const char *line, *says;
        enum err e;
    } bad[] = {
        {"net.ipv4.tcp_mem=1 2 3", "configuration allows", ERR_PERMISSION},
        {"net.ipv4.tcp_wmem=4096 16384", "three numbers", ERR_INVALID},
        {"net.ipv4.tcp_wmem=4096 1024 8192", "three numbers", ERR_INVALID},
        {"net.ipv4.tcp_wmem=4096 8192 8192 1", "three numbers", ERR_INVALID},
        {"kernel.panic=1", "configuration allows", ERR_PERMISSION},
        {"net.ipv4.tcp_rmem=1 2 3", "is the factor rmem", ERR_INVALID},
        {"net.ipv4.tcp_sack", "accepted: name=value", ERR_INVALID},
        {"=1", "accepted: name=value", ERR_INVALID},
        {"net.ipv4.tcp_sack=", "accepted: name=value", ERR_INVALID},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trial_spec spec = loopback();
        (void)snprintf(spec.sysctls, sizeof spec.sysctls, "%s", bad[i].line);
        refuses(&spec, FACTS_NETNS, bad[i].e, bad[i].says);
    }
}

static void setup_refuses_more_settings_than_it_holds(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    for (int i = 0; i < 17; i++)
        strcat(spec.sysctls, "net.ipv4.tcp_sack=0\n");
    refuses(&spec, FACTS_NETNS, ERR_RANGE, "more than 16 settings");
}

static void setup_refuses_an_unknown_target_and_bad_values(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    (void)snprintf(spec.target, sizeof spec.target, "netty");
    refuses(&spec, FACTS_NETNS, ERR_NOTFOUND,
            "target \"netty\"; this agent has: pitwall");
    spec = loopback();
    spec.rmem_min = 1;
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "tcp_rmem 1:0:0");
    spec = loopback();
    (void)snprintf(spec.pin, sizeof spec.pin, "7");
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "pin: 7; this agent may use 0-1");
    spec = loopback();
    (void)snprintf(spec.nic, sizeof spec.nic, "ring=1");
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED,
            "nic is of link ethernet; a veth takes");
    spec = loopback();
    spec.ready_ns = 0;
    refuses(&spec, FACTS_NETNS, ERR_INVALID, "ready_ns");
}

static void setup_keeps_limits_within_the_configuration(void **state)
{
    struct trial_spec spec = loopback();
    (void)state;
    spec.limit_cpus_milli = 500;
    refuses(&spec, FACTS_NETNS, ERR_UNSUPPORTED, "limits: no such groups here");
}

/* What is in force
 * ------------------------------------------------------------- */

static void effective_prints_all_that_was_read_back(void **state)
{
    static char text[65536];
    struct trial_spec spec = loopback();
    struct link_state link = {
        .target = {"veth0", "10.77.0.1", 1500, 0, "noqueue", "rx-gro"},
        .load = {"veth1", "10.77.0.2", 1500, 10000, "tbf rate 1B/s", ""}};
    struct why why;
    (void)state;
    (void)snprintf(spec.pin, sizeof spec.pin, "auto");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    check_ok(make(&spec, FACTS_NETNS, &why), why);
    (void)snprintf(made.sysctls[0].value, sizeof made.sysctls[0].value,
                   "4096 131072 6291456");
    static struct effective_facts facts;
    notes_add(&facts.sides[0], "interface.rps", "not supported");
    notes_add(&facts.sides[1], "interface.driver", "%s", "veth");
    check_ok(effective_print(&made, &link, &facts, text, sizeof text, &why),
             why);
    assert_non_null(strstr(
        text, ",\"facts\":{\"target\":{\"interface.rps\":\"not supported\"}"
              ",\"load\":{\"interface.driver\":\"veth\"}}}"));
    const char *want =
        "{\"version\":1,\"cell\":\"heap=1g\",\"role\":\"both\",\"mode\":"
        "\"netns\",\"target\":\"pitwall\",\"address\":\"10.77.0.1\",\"port\":"
        "9200,\"link\":{\"kind\":\"veth\",\"target\":{\"dev\":\"veth0\","
        "\"address\":\"10.77.0.1\",\"mtu\":1500,\"qdisc\":\"noqueue\","
        "\"offloads\":\"rx-gro\"},\"load\":{\"dev\":\"veth1\",\"address\":"
        "\"10.77.0.2\",\"mtu\":1500,\"speed_mbit\":10000,\"qdisc\":"
        "\"tbf rate 1B/s\",\"offloads\":\"\"}},\"sysctls\":{"
        "\"net.ipv4.tcp_rmem\":\"4096 131072 6291456\"},"
        "\"machine\":[],\"nic\":{},"
        "\"congestion\":\"\",\"pin\":{\"rule\":\"auto\",\"target\":\"0\","
        "\"load\":\"1\"},\"limits\":{\"target\":{},\"load\":{}},"
        "\"commands\":{\"target\":[\"pitwall-target\",";
    text[strlen(want)] = '\0';
    assert_string_equal(text, want);
}

static void effective_refuses_a_buffer_that_is_too_small(void **state)
{
    char text[300];
    struct trial_spec spec = loopback();
    struct link_state link = {.target = {.dev = "lo"}};
    struct why why;
    (void)state;
    check_ok(make(&spec, FACTS_NETNS, &why), why);
    static const struct effective_facts none;
    check_err(effective_print(&made, &link, &none, text, sizeof text, &why),
              ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_of_both_roles_has_four_parts),
        cmocka_unit_test(setup_sends_one_role_to_a_second_machine),
        cmocka_unit_test(setup_of_ethernet_proposes_veth),
        cmocka_unit_test(setup_of_ethernet_has_one_side_each),
        cmocka_unit_test(setup_of_ethernet_sets_the_machine_as_root_only),
        cmocka_unit_test(setup_without_namespaces_is_plain_loopback_only),
        cmocka_unit_test(setup_refuses_a_delay_where_the_kernel_has_no_netem),
        cmocka_unit_test(setup_takes_rmem_first_and_sysctls_in_their_order),
        cmocka_unit_test(setup_refuses_settings_that_are_not_allowed),
        cmocka_unit_test(setup_refuses_more_settings_than_it_holds),
        cmocka_unit_test(setup_refuses_an_unknown_target_and_bad_values),
        cmocka_unit_test(setup_keeps_limits_within_the_configuration),
        cmocka_unit_test(effective_prints_all_that_was_read_back),
        cmocka_unit_test(effective_refuses_a_buffer_that_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
