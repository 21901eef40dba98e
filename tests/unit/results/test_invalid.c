#include <stdio.h>

#include "results/invalid.h"
#include "tests/unit/results/lab.h"

static struct why why;
static char evidence[INVALID_EVIDENCE_BYTES];

static struct tally *fresh(void)
{
    struct tally *t = NULL;
    check_ok(tally_new(&t, &why), why);
    return t;
}

static bool broken(const char *name, const struct tally *t,
                   enum attempt_outcome outcome)
{
    const struct invalid_rule *r;
    evidence[0] = '\0';
    for (size_t i = 0; (r = invalid_rule(i)); i++)
        if (!strcmp(r->name, name))
            return r->broken(t, outcome, evidence, sizeof evidence);
    fail_msg("no rule \"%s\"", name);
    return false;
}

static void says(const char *part)
{
    if (!strstr(evidence, part))
        fail_msg("\"%s\" does not say \"%s\"", evidence, part);
}

static bool rmem(const uint64_t want[3], uint64_t min, uint64_t max)
{
    struct tally *t = fresh();
    t->effective.rmem_known = want != NULL;
    for (size_t i = 0; want && i < 3; i++)
        t->effective.rmem_bytes[i] = want[i];
    t->sides[TALLY_TARGET].rcvbuf_min = min;
    t->sides[TALLY_TARGET].rcvbuf_max = max;
    bool b = broken("rmem not in effect", t, OUTCOME_OK);
    tally_free(t);
    return b;
}

static void rmem_is_proved_by_the_accepted_sockets(void **state)
{
    (void)state;
    static const uint64_t usual[] = {4096, 131072, 6291456};
    static const uint64_t fixed[] = {10240, 10240, 10240};
    assert_false(rmem(usual, 131072, 6291456));
    assert_true(rmem(usual, 131071, 131072));
    assert_true(rmem(usual, 131072, 6291457));
    assert_false(rmem(fixed, 10240, 10240));
    /* Set after the target's listen(): reads back, has no effect. */
    assert_true(rmem(fixed, 10240, 131072));
    says("are 10240 to 131072 bytes, tcp_rmem is 10240 10240 10240");
    /* Nothing known or nothing seen proves nothing. */
    assert_false(rmem(NULL, 5, 6));
    assert_false(rmem(fixed, 0, 0));
}

static void fact(struct tally *t, const char *side, const char *name,
                 const char *value)
{
    struct record r = {.kind = RECORD_IS_fact};
    (void)snprintf(r.as.fact.side, sizeof r.as.fact.side, "%s", side);
    (void)snprintf(r.as.fact.name, sizeof r.as.fact.name, "%s", name);
    (void)snprintf(r.as.fact.value, sizeof r.as.fact.value, "%s", value);
    check_ok(tally_sample(t, &r, &why), why);
}

static void congestion_is_proved_by_the_loads_sockets(void **state)
{
    (void)state;
    static const char rule[] = "congestion not in effect";
    struct tally *t = fresh();
    (void)strcpy(t->effective.congestion, "bbr");
    /* Nothing seen proves nothing; the target's sockets are its own. */
    assert_false(broken(rule, t, OUTCOME_OK));
    fact(t, "target", "congestion.sockets.cubic", "9");
    assert_false(broken(rule, t, OUTCOME_OK));
    fact(t, "load", "congestion.sockets.bbr", "40");
    fact(t, "load2", "congestion.sockets.bbr", "2");
    assert_false(broken(rule, t, OUTCOME_OK));
    fact(t, "load2", "congestion.sockets.reno", "3");
    assert_true(broken(rule, t, OUTCOME_OOM));
    says("asked of the load's sockets was bbr, seen: bbr 42 times, reno 3 "
         "times");
    t->effective.congestion[0] = '\0';
    assert_false(broken(rule, t, OUTCOME_OK));
    tally_free(t);
}

static void documents_must_be_the_same_at_both_ends(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->driver_known = true;
    t->driver.docs_acked = 1000;
    t->driver.docs_unknown = 10;
    t->driver.retried = 2;
    assert_false(broken("documents disagree", t, OUTCOME_OK));
    t->final.total_docs = 1000;
    assert_false(broken("documents disagree", t, OUTCOME_OK));
    t->final.total_docs = 1001;
    assert_true(broken("documents disagree", t, OUTCOME_OK));
    says("driver 1000, counted by the target 1001");
    says("never answered 10, silent retries 2");
    /* Claimed for outcome ok alone. */
    assert_false(broken("documents disagree", t, OUTCOME_OOM));
    tally_free(t);
}

static bool rate(double offered_s, uint64_t ops, uint64_t dropped)
{
    struct tally *t = fresh();
    t->n_tasks = 1;
    t->tasks[0] = (struct tally_task){.name = "index",
                                      .ended = true,
                                      .offered_s = offered_s,
                                      .window_ns = 10000000000,
                                      .ops = ops,
                                      .errors = 100,
                                      .dropped = dropped};
    bool b = broken("rate missed", t, OUTCOME_OK);
    tally_free(t);
    return b;
}

static void a_rate_that_was_not_reached_is_said_so(void **state)
{
    (void)state;
    assert_false(rate(0, 5, 0)); /* closed loop */
    /* Due: 10,000. 0.99 * 10,000 - 3 * 100 = 9600, answered or failed. */
    assert_false(rate(1000, 9900, 0));
    assert_false(rate(1000, 9500, 0));
    assert_true(rate(1000, 9499, 0));
    says("task index: 1000 ops/s offered, 959.9 achieved, 0 never started");
    /* 1 % of 10,000 + dropped: 101 of 10,101 is just below. */
    assert_false(rate(1000, 9900, 101));
    assert_true(rate(1000, 9900, 102));
}

static bool window(uint64_t planned_ns, double t1_ns, bool partial)
{
    struct tally *t = fresh();
    t->planned_ns = planned_ns;
    t->final.window_t0_ns = 5e9;
    t->final.window_t1_ns = t1_ns;
    t->final.partial = partial;
    bool b = broken("window not kept", t, OUTCOME_OK);
    tally_free(t);
    return b;
}

static void the_targets_window_is_the_planned_one(void **state)
{
    (void)state;
    /* 1 % of 2 s and 10 ms: 30 ms. */
    assert_false(window(2000000000, 7e9, false));
    assert_false(window(2000000000, 7.03e9, false));
    assert_true(window(2000000000, 7.031e9, false));
    assert_true(window(2000000000, 6.969e9, false));
    /* It was never told: everything since its start. */
    assert_true(window(2000000000, 8.5e9, false));
    says("the target measured 3.500 s, the window is 2.000 s");
    assert_true(window(2000000000, 7e9, true));
    says("measured 2.000 s and ended within");
    assert_false(window(0, 8.5e9, false));
}

static void damaged_and_lost_records_are_told(void **state)
{
    (void)state;
    struct tally *t = fresh();
    assert_false(broken("records damaged", t, OUTCOME_OK));
    t->damaged = 2;
    (void)strcpy(t->damage, "stream load: cut short");
    assert_true(broken("records damaged", t, OUTCOME_OK));
    says("2 records could not be read, the first: stream load: cut short");
    assert_false(broken("records lost", t, OUTCOME_OK));
    t->driver_known = true;
    t->driver.records_blocked = 5;
    assert_true(broken("records lost", t, OUTCOME_OK));
    says("5 records");
    tally_free(t);
}

static void an_ok_without_figures_is_nothing(void **state)
{
    (void)state;
    struct tally *t = fresh();
    assert_true(broken("nothing measured", t, OUTCOME_OK));
    says("no task");
    assert_false(broken("nothing measured", t, OUTCOME_OOM));
    t->all.ended = true;
    assert_true(broken("nothing measured", t, OUTCOME_OK));
    says("no totals");
    t->driver_known = true;
    assert_false(broken("nothing measured", t, OUTCOME_OK));
    tally_free(t);
}

static bool failed(struct tally_task task, enum attempt_outcome outcome)
{
    struct tally *t = fresh();
    t->n_tasks = 1;
    t->tasks[0] = task;
    bool b = broken("task failed", t, outcome);
    tally_free(t);
    return b;
}

static void a_task_of_which_nothing_succeeded_has_failed(void **state)
{
    (void)state;
    struct tally_task term = {.name = "term", .ended = true, .errors = 40};
    (void)strcpy(term.error_text, "400 no index");
    assert_true(failed(term, OUTCOME_OK));
    says("task term: none of its 40 operations succeeded, the first answer: "
         "400 no index");
    assert_false(failed(term, OUTCOME_OOM));
    term.ops = 1;
    assert_false(failed(term, OUTCOME_OK));
    /* Nothing was due. */
    assert_false(failed((struct tally_task){.ended = true}, OUTCOME_OK));
    /* Bulks that were answered, and each document in them refused. */
    struct tally_task bulk = {.name = "index",
                              .ended = true,
                              .docs_unit = true,
                              .ops = 2,
                              .docs_failed = 2000};
    assert_true(failed(bulk, OUTCOME_OK));
    says("task index: none of its 2000 documents succeeded");
    bulk.docs = 1;
    assert_false(failed(bulk, OUTCOME_OK));
    /* What the track keeps out of reports spoils no trial. */
    term.ops = 0;
    term.hidden = true;
    assert_false(failed(term, OUTCOME_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rmem_is_proved_by_the_accepted_sockets),
        cmocka_unit_test(congestion_is_proved_by_the_loads_sockets),
        cmocka_unit_test(documents_must_be_the_same_at_both_ends),
        cmocka_unit_test(a_rate_that_was_not_reached_is_said_so),
        cmocka_unit_test(the_targets_window_is_the_planned_one),
        cmocka_unit_test(damaged_and_lost_records_are_told),
        cmocka_unit_test(an_ok_without_figures_is_nothing),
        cmocka_unit_test(a_task_of_which_nothing_succeeded_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
