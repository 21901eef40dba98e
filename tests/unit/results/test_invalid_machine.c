#include <stdio.h>
#include <stdlib.h>

#include "results/invalid.h"
#include "tests/unit/results/lab.h"

static struct why why;
static char evidence[INVALID_EVIDENCE_BYTES];

/* Four seconds of a window on one machine, with the table's limits. */
static struct tally *fresh(void)
{
    struct tally *t = NULL;
    check_ok(tally_new(&t, &why), why);
    accept_init(&t->accept);
    t->planned_ns = 4000000000;
    for (int i = 0; i < TALLY_SIDES; i++)
        t->sides[i].cpu_seconds = 4;
    return t;
}

static bool broken(const char *name, const struct tally *t)
{
    const struct invalid_rule *r;
    evidence[0] = '\0';
    for (size_t i = 0; (r = invalid_rule(i)); i++)
        if (!strcmp(r->name, name))
            return r->broken(t, OUTCOME_OK, evidence, sizeof evidence);
    fail_msg("no rule \"%s\"", name);
    return false;
}

static void says(const char *part)
{
    if (!strstr(evidence, part))
        fail_msg("\"%s\" does not say \"%s\"", evidence, part);
}

static void foreign_load_is_what_others_used(void **state)
{
    (void)state;
    struct tally *t = fresh();
    /* 6 s of CPU, 0.6 in interrupts, 2 + 2 ours: 1.4 in 4 s are 0.35. */
    t->sides[TALLY_TARGET].busy_ns = 6000000000;
    t->sides[TALLY_TARGET].irq_ns = 600000000;
    t->sides[TALLY_TARGET].proc_ns = t->sides[TALLY_LOAD].proc_ns = 2000000000;
    assert_false(broken("foreign load", t));
    t->sides[TALLY_TARGET].busy_ns += 40000000;
    assert_true(broken("foreign load", t));
    says("others used 0.36 cores of the target's machine in the window; "
         "accepted: 0.35");
    t->accept.limit[ACCEPT_FOREIGN_CPU] = 1;
    assert_false(broken("foreign load", t));
    /* Apart, each machine has but its own: load's 5 - 2 in 4 s. */
    t->apart = true;
    t->sides[TALLY_TARGET].busy_ns = 2600000000;
    t->sides[TALLY_LOAD].busy_ns = 6100000000;
    assert_true(broken("foreign load", t));
    says("others used 1.02 cores of the load's machine");
    accept_off(&t->accept);
    assert_false(broken("foreign load", t));
    tally_free(t);
}

static void stolen_cpu_is_told_with_its_machine(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->sides[TALLY_LOAD].steal_ns = 400000000; /* 0.1 in 4 s */
    assert_false(broken("CPU stolen", t));
    t->sides[TALLY_LOAD].steal_ns = 480000000;
    assert_true(broken("CPU stolen", t));
    says("a hypervisor took 0.12 cores of the load's machine; accepted: 0.1");
    t->sides[TALLY_LOAD].cpu_seconds = 0;
    assert_false(broken("CPU stolen", t));
    tally_free(t);
}

static void heat_and_quotas_from_above_throttle(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->closing.throttled_ns = 40000000; /* 1 % of 4 s */
    assert_false(broken("CPU throttled", t));
    t->closing.throttled_ns = 60000000;
    assert_true(broken("CPU throttled", t));
    says("kept it from the CPUs for 0.060 s, 0.015 of the window");
    t->closing.throttled_ns = 0;
    t->closing.thermal = 1;
    assert_true(broken("CPU throttled", t));
    says("1 times a processor was too hot");
    accept_off(&t->accept);
    assert_false(broken("CPU throttled", t));
    tally_free(t);
}

static void damaged_packets_are_counted_by_link(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->n_links = 2;
    t->links[0] = (struct tally_link){.side = "load", .iface = "eth0"};
    t->links[1] = (struct tally_link){
        .side = "target", .iface = "eth1", .errors = 3, .dropped = 7};
    assert_true(broken("link errors", t));
    says("eth1 on the target side: 3 damaged packets, 7 dropped; accepted: 0");
    t->accept.limit[ACCEPT_LINK_ERRORS] = 3;
    assert_false(broken("link errors", t));
    /* Dropped ones are what full queues do. */
    t->links[1].errors = 0;
    t->accept.limit[ACCEPT_LINK_ERRORS] = 0;
    assert_false(broken("link errors", t));
    tally_free(t);
}

static bool pin(const char *cpus, const char *seen)
{
    struct tally *t = fresh();
    struct tally_pin *p = tally_pin_of(t, "load2");
    (void)snprintf(p->cpus, sizeof p->cpus, "%s", cpus);
    (void)snprintf(p->seen, sizeof p->seen, "%s", seen);
    assert_ptr_equal(tally_pin_of(t, "load2"), p);
    bool b = broken("pin not in effect", t);
    tally_free(t);
    return b;
}

static void pin_is_proved_by_the_threads(void **state)
{
    (void)state;
    assert_false(pin("0-3", "0-3"));
    assert_false(pin("0-3", "1,3")); /* pinned further by itself */
    assert_true(pin("0-3", "2-4"));
    says("threads of the load2 were let run on 2-4 while measuring; pin gave "
         "them 0-3");
    /* Nothing asked, nothing seen, nothing that can be read. */
    assert_false(pin("", "0"));
    assert_false(pin("0", ""));
    assert_false(pin("0", "0-..."));
}

static void a_setting_that_changed_is_told(void **state)
{
    (void)state;
    struct tally *t = fresh();
    assert_false(broken("setting not in effect", t));
    (void)strcpy(t->closing.changed, "a: net.ipv4.tcp_sack was set to 0");
    assert_true(broken("setting not in effect", t));
    says("a: net.ipv4.tcp_sack was set to 0");
    tally_free(t);
}

static void no_steady_state_has_both_halves_as_evidence(void **state)
{
    (void)state;
    struct tally *t = fresh();
    uint64_t *series = calloc(10, sizeof *series);
    for (size_t i = 0; i < 10; i++)
        series[i] = (i < 5 ? 1000 : 1500) + i % 2;
    t->all.series = series;
    t->all.n_series = 10;
    assert_true(broken("no steady state", t));
    /* 1000.4 and 1500.6 on average. */
    says("second half is +50.0 % of the first (Welch's t 1444.0); accepted: "
         "0.2");
    t->accept.limit[ACCEPT_DRIFT] = 0.6;
    assert_false(broken("no steady state", t));
    accept_off(&t->accept);
    assert_false(broken("no steady state", t));
    tally_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_load_is_what_others_used),
        cmocka_unit_test(stolen_cpu_is_told_with_its_machine),
        cmocka_unit_test(heat_and_quotas_from_above_throttle),
        cmocka_unit_test(damaged_packets_are_counted_by_link),
        cmocka_unit_test(pin_is_proved_by_the_threads),
        cmocka_unit_test(a_setting_that_changed_is_told),
        cmocka_unit_test(no_steady_state_has_both_halves_as_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
