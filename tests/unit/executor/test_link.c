#include <stdio.h>
#include <stdlib.h>

#include "agent/executor/ethtool.h"
#include "agent/executor/link.h"
#include "common/clock.h"
#include "tests/lib/check.h"

static struct trial_spec of_kind(const char *kind)
{
    struct trial_spec s = {.role = "both"};
    (void)snprintf(s.link_kind, sizeof s.link_kind, "%s", kind);
    return s;
}

static void link_plan_of_veth_fills_in_what_is_not_given(void **state)
{
    struct trial_spec spec = of_kind("veth");
    struct link_plan plan;
    struct why why;
    (void)state;
    check_ok(link_plan_make(&plan, &spec, &why), why);
    assert_int_equal(plan.mtu, 1500);
    assert_int_equal(plan.queue_bytes, 0);
    spec.link_rate_bit = 200000000;
    check_ok(link_plan_make(&plan, &spec, &why), why);
    assert_int_equal(plan.burst_bytes, 32768);
    /* 25,000,000 B/s * 10 ms + 32,768 */
    assert_int_equal(plan.queue_bytes, 282768);
}

static void link_plan_reads_offloads(void **state)
{
    struct trial_spec spec = of_kind("veth");
    struct link_plan plan;
    struct why why;
    (void)state;
    check_ok(link_plan_make(&plan, &spec, &why), why);
    assert_int_equal(plan.offloads, LINK_OFFLOADS_AS_IS);
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "off");
    check_ok(link_plan_make(&plan, &spec, &why), why);
    assert_int_equal(plan.offloads, LINK_OFFLOADS_OFF);
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "on");
    check_ok(link_plan_make(&plan, &spec, &why), why);
    assert_int_equal(plan.offloads, LINK_OFFLOADS_ON);
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "tso");
    check_err(link_plan_make(&plan, &spec, &why), ERR_INVALID);
    check_says(why, "offloads=tso; accepted: on, off");
}

static void refuses(struct trial_spec spec, enum err want, const char *says)
{
    struct link_plan plan;
    struct why why = {0};
    check_err(link_plan_make(&plan, &spec, &why), want);
    check_says(why, says);
}

static void link_plan_refuses_what_cannot_be(void **state)
{
    struct trial_spec s;
    (void)state;
    s = of_kind("ethernet");
    s.link_mtu = 1500;
    refuses(s, ERR_UNSUPPORTED, "link ethernet is the machine's own");
    refuses(of_kind("wifi"), ERR_INVALID, "link \"wifi\"; accepted: loopback");
    s = of_kind("loopback");
    s.link_rate_bit = 1000000;
    refuses(s, ERR_UNSUPPORTED, "use a veth level");
    s = of_kind("veth");
    s.link_mtu = 575;
    refuses(s, ERR_INVALID, "mtu=575; accepted: 576 to 65535");
    s = of_kind("veth");
    s.link_rate_bit = 17000000001ull;
    refuses(s, ERR_INVALID, "8kbit to 17gbit");
    s = of_kind("veth");
    s.link_rate_bit = 7999;
    refuses(s, ERR_INVALID, "8kbit to 17gbit");
    s = of_kind("veth");
    s.link_burst_bytes = 1;
    refuses(s, ERR_INVALID, "belong to a rate");
    s = of_kind("veth");
    s.link_rate_bit = 1000000;
    s.link_latency_ns = 61 * NS_PER_S;
    refuses(s, ERR_INVALID, "latency=61.00 s; accepted: up to 60s");
}

static void ethtool_knows_its_offloads_by_their_strings(void **state)
{
    static const char *const yes[] = {"tx-tcp-segmentation",
                                      "tx-tcp-ecn-segmentation",
                                      "tx-tcp-mangleid-segmentation",
                                      "tx-tcp6-segmentation",
                                      "tx-tcp-new-kernels-segmentation",
                                      "tx-generic-segmentation",
                                      "rx-gro",
                                      "rx-lro"};
    static const char *const no[] = {"tx-checksum-ip-generic",
                                     "tx-udp-segmentation",
                                     "tx-tcp",
                                     "segmentation",
                                     "tx-gre-segmentation",
                                     "rx-gro-hw",
                                     "rx-udp-gro-forwarding",
                                     ""};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(ethtool_is_offload(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(ethtool_is_offload(no[i]));
}

/* In real namespaces
 * -------------------------------------------------------------- */

struct pair {
    struct cage target, load;
};

static int open_pair(void **state)
{
    struct pair *p = calloc(1, sizeof *p);
    struct why why;
    assert_non_null(p);
    p->target = p->load = CAGE_NONE;
    *state = p;
    if (cage_open(&p->target, CAGE_NAMESPACES, NULL, NULL, &why) ||
        cage_open(&p->load, CAGE_NAMESPACES, NULL, NULL, &why))
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
    return 0;
}

static int close_pair(void **state)
{
    struct pair *p = *state;
    cage_close(&p->load);
    cage_close(&p->target);
    free(p);
    return 0;
}

static void makes(const struct pair *p, const struct trial_spec *spec,
                  struct link_state *link)
{
    struct link_plan plan;
    struct why why = {0};
    if (!p->load.init)
        skip();
    check_ok(link_plan_make(&plan, spec, &why), why);
    check_ok(link_make(&plan, &p->target, &p->load, link, &why), why);
}

static void link_veth_has_mtu_rate_and_offloads_as_asked(void **state)
{
    struct trial_spec spec = of_kind("veth");
    struct link_state link;
    spec.link_mtu = 9000;
    spec.link_rate_bit = 80000000; /* 10 MB/s: 100 kB in 10 ms, and a burst */
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "off");
    makes(*state, &spec, &link);
    assert_int_equal(link.target.mtu, 9000);
    assert_int_equal(link.load.mtu, 9000);
    assert_string_equal(link.load.address, "10.77.0.2");
    assert_string_equal(link.load.qdisc,
                        "tbf rate 10000000B/s burst 32768 limit 132768");
    assert_null(strstr(link.target.qdisc, "tbf"));
    assert_string_equal(link.load.offloads, "");
    assert_string_equal(link.target.offloads, "");
}

static void link_veth_without_wishes_keeps_its_offloads(void **state)
{
    struct trial_spec spec = of_kind("veth");
    struct link_state link;
    makes(*state, &spec, &link);
    assert_non_null(strstr(link.load.offloads, "tx-tcp-segmentation"));
    assert_null(strstr(link.load.qdisc, "tbf"));
}

static void link_loopback_keeps_its_large_mtu_unless_asked(void **state)
{
    struct trial_spec spec = of_kind("loopback");
    struct link_state link;
    makes(*state, &spec, &link);
    assert_int_equal(link.target.mtu, 65536);
    assert_string_equal(link.load.dev, "lo");
    spec.link_mtu = 1500;
    makes(*state, &spec, &link);
    assert_int_equal(link.target.mtu, 1500);
}

static void link_says_which_setting_failed(void **state)
{
    const struct pair *p = *state;
    struct trial_spec spec = of_kind("veth");
    struct link_plan plan;
    struct link_state link;
    struct why why = {0};
    makes(p, &spec, &link);
    check_ok(link_plan_make(&plan, &spec, &why), why);
    check_err(link_make(&plan, &p->target, &p->load, &link, &why), ERR_EXISTS);
    check_says(why, "link veth: make a veth pair");
}

static void link_probes_the_kernel(void **state)
{
    const struct pair *p = *state;
    if (!p->load.init)
        skip();
    /* One stands there afterwards: whatever the kernel has, no second. */
    if (link_has_rate(&p->target))
        assert_false(link_has_rate(&p->target));
    assert_true(link_has_veth(&p->target));
}

#define IN_PAIR(test)                                                          \
    cmocka_unit_test_setup_teardown(test, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_plan_of_veth_fills_in_what_is_not_given),
        cmocka_unit_test(link_plan_reads_offloads),
        cmocka_unit_test(link_plan_refuses_what_cannot_be),
        cmocka_unit_test(ethtool_knows_its_offloads_by_their_strings),
        IN_PAIR(link_veth_has_mtu_rate_and_offloads_as_asked),
        IN_PAIR(link_veth_without_wishes_keeps_its_offloads),
        IN_PAIR(link_loopback_keeps_its_large_mtu_unless_asked),
        IN_PAIR(link_says_which_setting_failed),
        IN_PAIR(link_probes_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
