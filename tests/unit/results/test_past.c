/* What an experiment has been through, and who sits at it. */
#include <stdio.h>

#include "results/pace.h"
#include "results/past.h"
#include "results/sitting.h"
#include "tests/unit/results/lab.h"

static struct lab lab;
static struct why why;

static void an_experiment_is_read_as_it_was_planned(void **state)
{
    (void)state;
    /* lab_plan: 4 cells and a canary, 2 blocks, the second one reversed */
    static const uint32_t order[] = {0, 1, 2, 3, 4, 4, 3, 2, 1, 0};
    struct past *p = NULL;
    lab_open(&lab);
    lab_plan(&lab);
    check_ok(past_open(&p, lab.store, lab.experiment, &why), why);
    assert_string_equal(p->name, "demo");
    assert_string_equal(p->state, "running");
    assert_string_equal(p->json, "{\"version\":1}");
    assert_string_equal(p->conduct, "");
    assert_int_equal(p->n_sittings, 0);
    assert_int_equal(p->n_cells, 5);
    assert_string_equal(p->cells[3].label, "heap=1g,link=eth200");
    assert_int_equal(p->cells[4].purpose, PURPOSE_CANARY);
    assert_int_equal(p->n_trials, 10);
    assert_memory_equal(p->order, order, sizeof order);
    assert_int_equal(p->n_blocks, 2);
    assert_int_equal(p->ends[0], 5);
    assert_int_equal(p->ends[1], 10);
    assert_int_equal(p->n_attempts, 0);
    past_close(p);
    check_err(past_open(&p, lab.store, 99, &why), ERR_NOTFOUND);
    assert_null(p);
    lab_fini(&lab);
}

static void attempts_are_read_in_their_order(void **state)
{
    (void)state;
    struct past *p = NULL;
    int64_t open = 0;
    uint32_t n = 0;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    (void)lab_docs(&lab, 2, 800, 799); /* a document is missing: invalid */
    (void)lab_end(&lab, 3, OUTCOME_FAILED, NULL);
    check_ok(store_attempt_add(lab.store, lab.experiment, 3, &open, &n, &why),
             why);
    check_ok(store_attempt_move(lab.store, open, ATTEMPT_ARMED, &why), why);
    check_ok(past_open(&p, lab.store, lab.experiment, &why), why);
    assert_int_equal(p->n_attempts, 4);
    assert_int_equal(p->attempts[0].outcome, OUTCOME_OK);
    assert_false(p->attempts[0].invalid);
    assert_true(p->attempts[0].spool_bytes > 0);
    assert_true(p->attempts[1].invalid);
    assert_string_equal(p->attempts[2].error, "agent here: gone");
    assert_int_equal(p->attempts[3].id, open);
    assert_int_equal(p->attempts[3].tid, 3);
    assert_int_equal(p->attempts[3].n, 2);
    assert_int_equal(p->attempts[3].state, ATTEMPT_ARMED);
    past_close(p);
    lab_fini(&lab);
}

static void sittings_are_counted_and_wishes_end_with_them(void **state)
{
    (void)state;
    struct past *p = NULL;
    struct sitting s;
    enum wish wish = WISH_NOW;
    lab_open(&lab);
    lab_plan(&lab);
    check_ok(sitting_begin(lab.store, lab.experiment, "", &s, &why), why);
    assert_int_equal(s.n, 1);
    check_ok(sitting_wished(lab.store, lab.experiment, &wish, &why), why);
    assert_int_equal(wish, WISH_NONE);
    check_ok(sitting_wish(lab.store, lab.experiment, WISH_STOP, &why), why);
    check_ok(sitting_wished(lab.store, lab.experiment, &wish, &why), why);
    assert_int_equal(wish, WISH_STOP);
    check_ok(sitting_end(lab.store, &s, "stopped", &why), why);
    check_ok(past_open(&p, lab.store, lab.experiment, &why), why);
    assert_string_equal(p->state, "stopped");
    past_close(p);
    check_ok(sitting_begin(lab.store, lab.experiment, "/tmp/x", &s, &why), why);
    assert_int_equal(s.n, 2);
    check_ok(sitting_wished(lab.store, lab.experiment, &wish, &why), why);
    assert_int_equal(wish, WISH_NONE);
    check_ok(past_open(&p, lab.store, lab.experiment, &why), why);
    assert_string_equal(p->state, "running");
    assert_string_equal(p->folder, "/tmp/x");
    assert_int_equal(p->n_sittings, 2);
    past_close(p);
    assert_int_equal(lab_int(&lab, "select count(*) from sitting where "
                                   "state = 'stopped' and ended is not null"),
                     1);
    lab_fini(&lab);
}

/* Attempts of 2, 4 and 3 s, one that lay open for an hour, one broken off, and
 * one under way: the median is 3 s (of 2, 3, 4 and 3600: the upper one, 4), so
 * the hour is left out, and the mean of three is 3 s. */
static void the_pace_is_that_of_trials_that_were_measured(void **state)
{
    (void)state;
    static const struct {
        const char *outcome, *till;
    } ends[] = {{"ok", "12:00:02"},
                {"oom", "12:00:04"},
                {"failed", "12:00:03"},
                {"ok", "13:00:00"},
                {"aborted", "12:00:50"}};
    char sql[300];
    struct pace pace;
    int64_t open = 0;
    uint32_t n = 0;
    lab_open(&lab);
    lab_plan(&lab);
    check_ok(pace_read(lab.store, lab.experiment, &pace, &why), why);
    assert_int_equal(pace.n, 0);
    assert_int_equal(pace.spent_ns, 0);
    for (uint32_t i = 0; i < 5; i++) {
        int64_t a = lab_end(&lab, i + 1, OUTCOME_FAILED, NULL);
        (void)snprintf(sql, sizeof sql,
                       "update attempt set outcome = '%s' where id = %d",
                       ends[i].outcome, (int)a);
        lab_exec(&lab, sql);
        (void)snprintf(sql, sizeof sql,
                       "update attempt_move set at = '2026-12-01T' || case "
                       "when n then '%s' else '12:00:00' end where attempt = "
                       "%d",
                       ends[i].till, (int)a);
        lab_exec(&lab, sql);
    }
    check_ok(store_attempt_add(lab.store, lab.experiment, 6, &open, &n, &why),
             why);
    lab_exec(&lab, "update attempt_move set at = strftime('%Y-%m-%dT%H:%M:%fZ',"
                   " 'now', '-5 seconds') where attempt = 6");
    check_ok(pace_read(lab.store, lab.experiment, &pace, &why), why);
    assert_int_equal(pace.n, 3);
    assert_true(pace.trial_ns > 2999000000 && pace.trial_ns < 3001000000);
    assert_true(pace.spent_ns >= 4900000000);
    assert_string_equal(pace.benches, "local");
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_is_read_as_it_was_planned),
        cmocka_unit_test(attempts_are_read_in_their_order),
        cmocka_unit_test(the_pace_is_that_of_trials_that_were_measured),
        cmocka_unit_test(sittings_are_counted_and_wishes_end_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
