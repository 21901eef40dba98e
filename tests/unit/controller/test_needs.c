#include <stdio.h>
#include <stdlib.h>

#include "controller/factor.h"
#include "controller/needs.h"
#include "tests/lib/check.h"

static struct msg_hello_reply agent;
static struct msg_hello_reply loader = {.name = "gen1", .roles = "load"};
static struct needs_agents agents = {.hello = {&agent}, .n = 1};
static struct setup setup;

static void an_agent_with(const char *features)
{
    memset(&agent, 0, sizeof agent);
    (void)snprintf(agent.name, sizeof agent.name, "lab1");
    (void)snprintf(agent.roles, sizeof agent.roles, "both");
    (void)snprintf(agent.targets, sizeof agent.targets, "pitwall,nginx");
    (void)snprintf(agent.features, sizeof agent.features, "%s", features);
    (void)snprintf(agent.missing, sizeof agent.missing,
                   "run it as root for namespaces");
}

static enum err check(const char *name, const char *value, struct why *why)
{
    factor_defaults(&setup);
    enum err e = factor_set(name, value, &setup, why);
    return e ? e : needs_check(&agents, &setup.spec, why);
}

static void refused(const char *name, const char *value, const char *text)
{
    struct why why = {""};
    check_err(check(name, value, &why), ERR_INVALID);
    assert_string_equal(why.text, text);
}

static void loopback_needs_nothing(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("");
    check_ok(check("link", "loopback", &why), why);
    check_ok(check("rmem", "default", &why), why);
}

static void namespaces_of_either_kind_allow_veth_and_rmem(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("netns,tbf");
    check_ok(check("link", "veth:rate=1mbit", &why), why);
    an_agent_with("userns, tbf");
    check_ok(check("link", "veth:rate=1mbit", &why), why);
    check_ok(check("rmem", "low", &why), why);
    check_ok(check("sysctl.net.ipv4.tcp_sack", "0", &why), why);
}

static void what_is_missing_is_told_with_how_to_allow_it(void **state)
{
    (void)state;
    an_agent_with("");
    refused("link", "veth",
            "agent lab1 cannot do link=veth: run it as root for namespaces");
    refused("rmem", "low",
            "agent lab1 cannot do rmem: run it as root for namespaces");
    refused("sysctl.net.ipv4.tcp_sack", "0",
            "agent lab1 cannot do sysctl: run it as root for namespaces");
    an_agent_with("netns,cgroup");
    refused("limit.memory", "1g",
            "agent lab1 cannot do limit: run it as root for namespaces");
    an_agent_with("netns");
    refused("link", "veth:rate=1mbit",
            "agent lab1 cannot do link=veth with a rate (tbf): run it as root "
            "for namespaces");
    an_agent_with("netns,tbf,netemx");
    agent.missing[0] = '\0';
    refused("link", "veth:delay=1ms",
            "agent lab1 cannot do link=veth with a delay (netem)");
}

static void limits_are_within_what_the_agent_gives(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("netns,limits");
    check_ok(check("limit.memory", "1t", &why), why); /* none is configured */
    agent.limit_memory_bytes = 512u << 20;
    agent.limit_cpus_milli = 1500;
    agent.limit_pids = 64;
    check_ok(check("limit.memory", "512m", &why), why);
    check_ok(check("limit.cpus", "1.5", &why), why);
    check_ok(check("limit.pids", "64", &why), why);
    check_ok(check("link", "loopback", &why), why);
    refused("limit.memory", "1g",
            "agent lab1 cannot do limit.memory=1g: its configuration gives the "
            "target 512m (\"limits\"); accepted: at most that");
    refused("limit.cpus", "1.501",
            "agent lab1 cannot do limit.cpus=1.501: its configuration gives "
            "the target 1.5 (\"limits\"); accepted: at most that");
    refused("limit.pids", "65",
            "agent lab1 cannot do limit.pids=65: its configuration gives the "
            "target 64 (\"limits\"); accepted: at most that");
    agent.limit_memory_bytes = 69632; /* 68k of "69k": whole pages */
    check_ok(check("limit.memory", "69k", &why), why);
}

static void roles_and_targets_are_checked(void **state)
{
    (void)state;
    an_agent_with("netns");
    refused("target", "netty",
            "agent lab1 has no target \"netty\"; it has: pitwall,nginx");
    (void)snprintf(agent.roles, sizeof agent.roles, "load");
    refused("link", "loopback",
            "agent lab1 has the role load; link=loopback needs an agent with "
            "the role both");
}

static enum err looks(const char *telemetry, struct why *why)
{
    factor_defaults(&setup);
    (void)snprintf(setup.spec.telemetry, sizeof setup.spec.telemetry, "%s",
                   telemetry);
    return needs_check(&agents, &setup.spec, why);
}

static void telemetry_of_extra_trials_is_to_be_allowed(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("netns,perf,reads");
    check_ok(looks("link,tcp,perf,reads", &why), why);
    an_agent_with("netns");
    (void)snprintf(agent.missing, sizeof agent.missing,
                   "no veth links: here; no telemetry perf: the kernel "
                   "forbids it; no telemetry reads: not root");
    check_ok(looks("link,tcp,cpu,disk,proc,target", &why), why);
    check_err(looks("cpu,perf", &why), ERR_INVALID);
    assert_string_equal(why.text, "agent lab1 cannot do --telemetry perf: no "
                                  "telemetry perf: the kernel forbids it");
    check_err(looks("reads", &why), ERR_INVALID);
    assert_string_equal(why.text, "agent lab1 cannot do --telemetry reads: no "
                                  "telemetry reads: not root");
}

static void what_cannot_be_done_is_dropped_level_by_level(void **state)
{
    (void)state;
    char said[256];
    struct why why = {""};
    struct experiment *ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    check_ok(experiment_option(ex, "heap=256m,1g", &why), why);
    check_ok(experiment_option(ex, "rmem=default,low", &why), why);
    check_ok(experiment_option(ex, "link=loopback,eth200@veth", &why), why);
    check_ok(experiment_exclude(ex, "heap=256m,rmem=low", &why), why);
    an_agent_with("netns");
    assert_false(needs_drop(&agents, ex, said, sizeof said));
    an_agent_with("");
    assert_true(needs_drop(&agents, ex, said, sizeof said));
    assert_string_equal(said, "rmem=low: agent lab1 cannot do rmem: run it as "
                              "root for namespaces");
    assert_true(needs_drop(&agents, ex, said, sizeof said));
    assert_string_equal(said, "link=eth200: agent lab1 cannot do link=veth: "
                              "run it as root for namespaces");
    assert_false(needs_drop(&agents, ex, said, sizeof said));
    assert_int_equal(ex->axes[0].n_levels, 2);
    assert_int_equal(ex->axes[1].n_levels, 1);
    assert_int_equal(ex->axes[2].n_levels, 1);
    assert_int_equal(ex->n_excludes, 0);
    free(ex);
}

static void ethernet_needs_load_agents_and_an_address(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("netns,tbf,ethernet");
    check_err(check("link", "ethernet", &why), ERR_INVALID);
    check_says(why, "link=ethernet needs a second machine");
    check_says(why, "take eth@veth:mtu=1500+rate=1gbit");
    agents.hello[1] = &loader;
    agents.n = 2;
    check_ok(check("link", "ethernet", &why), why);
    assert_true(needs_apart(&setup.spec));
    /* other links stay with the target's agent, which has both roles */
    check_ok(check("link", "veth", &why), why);
    assert_false(needs_apart(&setup.spec));
    an_agent_with("netns,tbf");
    check_err(check("link", "ethernet", &why), ERR_INVALID);
    check_says(why, "agent lab1 has no address for link=ethernet: name its "
                    "\"interface\"");
    an_agent_with("netns,tbf,ethernet");
    (void)snprintf(agent.roles, sizeof agent.roles, "target");
    check_ok(check("link", "ethernet", &why), why);
    (void)snprintf(loader.roles, sizeof loader.roles, "target");
    refused("link", "ethernet",
            "agent gen1 has the role target; link=ethernet needs an agent "
            "with the role load");
    (void)snprintf(loader.roles, sizeof loader.roles, "load");
    agents.n = 1;
}

static void ethernet_sets_machines_by_agents_that_are_root(void **state)
{
    (void)state;
    struct why why = {""};
    an_agent_with("netns,tbf,ethernet");
    agents.hello[1] = &loader;
    agents.n = 2;
    factor_defaults(&setup);
    check_ok(factor_set("link", "ethernet", &setup, &why), why);
    check_ok(factor_set("rmem", "low", &setup, &why), why);
    check_err(needs_check(&agents, &setup.spec, &why), ERR_INVALID);
    check_says(why,
               "agent lab1 cannot do rmem with link=ethernet, a setting of "
               "its whole machine: run it as root");
    an_agent_with("netns,tbf,ethernet,journal");
    check_ok(needs_check(&agents, &setup.spec, &why), why);
    check_ok(factor_set("nic.mtu", "1400", &setup, &why), why);
    check_err(needs_check(&agents, &setup.spec, &why), ERR_INVALID);
    check_says(why, "agent gen1 cannot do nic with link=ethernet");
    agents.n = 1;
    check_ok(factor_set("link", "loopback", &setup, &why), why);
    check_err(needs_check(&agents, &setup.spec, &why), ERR_INVALID);
    check_says(why, "nic.X is of link=ethernet");
    agents.n = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_needs_nothing),
        cmocka_unit_test(namespaces_of_either_kind_allow_veth_and_rmem),
        cmocka_unit_test(what_is_missing_is_told_with_how_to_allow_it),
        cmocka_unit_test(limits_are_within_what_the_agent_gives),
        cmocka_unit_test(roles_and_targets_are_checked),
        cmocka_unit_test(ethernet_needs_load_agents_and_an_address),
        cmocka_unit_test(ethernet_sets_machines_by_agents_that_are_root),
        cmocka_unit_test(telemetry_of_extra_trials_is_to_be_allowed),
        cmocka_unit_test(what_cannot_be_done_is_dropped_level_by_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
