#include <stdio.h>

#include "results/answer.h"
#include "results/metric.h"
#include "tests/unit/results/lab.h"

static struct why why;

static const char *text(const struct grid *g, size_t row, const char *column)
{
    assert_true(row < g->n_rows);
    for (size_t c = 0; c < g->n_columns; c++)
        if (!strcmp(g->columns[c].name, column))
            return g->cells[row * g->n_columns + c].text;
    fail_msg("no column \"%s\"", column);
    return "";
}

/* The value of show's row of this metric and task, "" where there is none;
 * one row at most. */
static const char *shown(const struct grid *g, const char *metric,
                         const char *task)
{
    const char *value = NULL;
    for (size_t r = 0; r < g->n_rows; r++) {
        if (strcmp(text(g, r, "Metric"), metric) ||
            strcmp(text(g, r, "Task"), task))
            continue;
        if (value)
            fail_msg("\"%s\" of task \"%s\" is there twice", metric, task);
        value = text(g, r, "Value");
    }
    return value ? value : "";
}

static void measured(struct lab *lab)
{
    lab_open(lab);
    lab_plan(lab);
    lab_measure(lab);
}

static void answer_find_knows_ids_names_and_the_newest(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    lab_open(&lab);
    check_err(answer_find(lab.store, NULL, &id, &why), ERR_NOTFOUND);
    check_says(why, "holds no experiment");
    lab_plan(&lab);
    lab_exec(&lab, "insert into experiment (uuid, name, track, challenge, "
                   "target, json, version, seed, order_kind, warmup_ns, "
                   "measure_ns, iterations) select 'u' || n, w, track, "
                   "challenge, target, json, version, seed, order_kind, "
                   "warmup_ns, measure_ns, iterations from experiment, "
                   "(select 1 as n, 'other' as w union select 2, 'demo' union "
                   "select 3, '2')");
    check_ok(answer_find(lab.store, NULL, &id, &why), why);
    assert_int_equal(id, 4);
    check_ok(answer_find(lab.store, "1", &id, &why), why);
    assert_int_equal(id, 1);
    check_ok(answer_find(lab.store, "demo", &id, &why), why);
    assert_int_equal(id, lab_int(&lab, "select max(id) from experiment where "
                                       "name = 'demo'"));
    /* A number is an id before it is a name. */
    check_ok(answer_find(lab.store, "2", &id, &why), why);
    assert_int_equal(id, 2);
    check_ok(answer_find(lab.store, "6f6a1a54-7d0c-4b3e-8a3c-0d5c5f1a9b11", &id,
                         &why),
             why);
    assert_int_equal(id, 1);
    check_err(answer_find(lab.store, "dmeo", &id, &why), ERR_NOTFOUND);
    check_says(why, "no experiment \"dmeo\"");
    check_err(answer_find(lab.store, "99", &id, &why), ERR_NOTFOUND);
    lab_fini(&lab);
}

static void answer_counts_tells_how_far_it_is(void **state)
{
    (void)state;
    struct lab lab;
    struct answer_counts c;
    measured(&lab);
    check_ok(answer_counts(lab.store, lab.experiment, &c, &why), why);
    assert_int_equal(c.trials, 10); /* canaries too: they have to be run */
    assert_int_equal(c.ok, 8);
    assert_int_equal(c.oom, 1);
    assert_int_equal(c.failed, 1);
    assert_int_equal(c.aborted, 0);
    assert_int_equal(c.invalid, 1);
    check_ok(answer_counts(lab.store, 77, &c, &why), why);
    assert_int_equal(c.trials, 0);
    assert_int_equal(c.ok, 0);
    lab_fini(&lab);
}

static void answer_list_has_the_newest_first_and_filters(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    lab_exec(&lab, "insert into experiment (uuid, name, track, challenge, "
                   "target, json, version, seed, order_kind, warmup_ns, "
                   "measure_ns, iterations) select 'u', 'later', 'pmc', "
                   "challenge, target, json, version, seed, order_kind, "
                   "warmup_ns, measure_ns, iterations from experiment");
    lab_exec(&lab, "update attempt set bound = 'driver', bound_shared = 1 "
                   "where trial in (1, 10)");
    grid_init(&g);
    check_ok(answer_list(lab.store, NULL, NULL, &g, &why), why);
    assert_int_equal(g.n_rows, 2);
    assert_string_equal(text(&g, 0, "name"), "later");
    assert_string_equal(text(&g, 0, "trials"), "");
    assert_string_equal(text(&g, 1, "id"), "1");
    assert_string_equal(text(&g, 1, "state"), "running");
    assert_string_equal(text(&g, 1, "cells"), "4");
    assert_string_equal(text(&g, 1, "trials"), "8");
    assert_string_equal(text(&g, 1, "ok"), "6");
    assert_string_equal(text(&g, 1, "oom"), "1");
    assert_string_equal(text(&g, 1, "failed"), "1");
    assert_string_equal(text(&g, 1, "invalid"), "1");
    assert_string_equal(text(&g, 1, "bound"), "unclear 3, driver* 2");
    assert_string_equal(text(&g, 1, "tags"), "machine=bench7 who=me");
    grid_fini(&g);
    check_ok(answer_list(lab.store, "geonames", "who=me", &g, &why), why);
    assert_int_equal(g.n_rows, 1);
    grid_fini(&g);
    check_ok(answer_list(lab.store, "pmc", "who=me", &g, &why), why);
    assert_int_equal(g.n_rows, 0);
    grid_fini(&g);
    check_ok(answer_list(lab.store, NULL, "who=you", &g, &why), why);
    assert_int_equal(g.n_rows, 0);
    grid_fini(&g);
    check_err(answer_list(lab.store, NULL, "who", &g, &why), ERR_USAGE);
    check_says(why, "tag \"who\" is not name=value");
    grid_fini(&g);
    lab_fini(&lab);
}

static bool noted(const struct grid *g, const char *part)
{
    for (size_t i = 0; i < g->n_notes; i++)
        if (strstr(g->notes[i], part))
            return true;
    return false;
}

static void answer_show_has_rallys_rows_in_rallys_order(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct spooler spool = {0};
    static const char *const order[] = {"Total Young Gen GC time",
                                        "Total Young Gen GC count",
                                        "Total Old Gen GC time",
                                        "Total Old Gen GC count",
                                        "Min Throughput",
                                        "Mean Throughput",
                                        "Median Throughput",
                                        "Max Throughput",
                                        "50th percentile latency",
                                        "100th percentile latency",
                                        "50th percentile service time",
                                        "100th percentile service time",
                                        "error rate",
                                        "Bytes per read",
                                        "Link to the target, of its rate",
                                        "Segments sent again",
                                        "Smallest receive buffer",
                                        "Validity",
                                        "Outcome",
                                        "Bound"};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    grid_init(&g);
    check_ok(answer_show(lab.store, "demo:1", &g, &why), why);
    size_t at = 0;
    for (size_t r = 0; r < g.n_rows && at < 20; r++)
        at += !strcmp(text(&g, r, "Metric"), order[at]);
    if (at < 20)
        fail_msg("\"%s\" is missing or out of order", order[at]);
    assert_string_equal(shown(&g, "Total Young Gen GC time", ""), "0.012");
    assert_string_equal(shown(&g, "Mean Throughput", "index"), "1000.00");
    assert_string_equal(shown(&g, "50th percentile latency", "index"), "0.011");
    assert_string_equal(shown(&g, "90th percentile latency", "index"), "");
    assert_string_equal(shown(&g, "error rate", "index"), "4.76"); /* 1/21 */
    assert_string_equal(shown(&g, "Link to the target, of its rate", ""),
                        "2.0");
    assert_string_equal(shown(&g, "Outcome", ""), "ok");
    assert_string_equal(shown(&g, "Bound", ""), "unclear");
    assert_string_equal(shown(&g, "Validity", ""), "valid");
    assert_string_equal(shown(&g, "Artifact stderr-target.txt", ""), "10");
    assert_string_equal(shown(&g, "corpus.docs.sha256", ""), "ba7816bf");
    assert_string_equal(shown(&g, "Tags", "index"), "a, b");
    assert_string_equal(shown(&g, "Meta", "index"), "{\"x\":1}");
    assert_true(noted(&g, "load.provider static: the same few bodies"));
    assert_string_equal(g.notes[0],
                        "trial 1:1 of demo: heap=256m,link=loopback");
    assert_string_equal(g.notes[1], "iteration 1, position 1 on bench local; "
                                    "attempt 1 of 1, stored");
    grid_fini(&g);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void answer_show_tells_why_a_trial_does_not_count(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    grid_init(&g);
    check_ok(answer_show(lab.store, "1:4", &g, &why), why);
    assert_string_equal(shown(&g, "Invalid: documents disagree", ""),
                        "acknowledged to the driver 800, counted by the target "
                        "799 (sent and never answered 0, silent retries 0)");
    assert_string_equal(shown(&g, "Validity", ""), "");
    grid_fini(&g);
    check_ok(answer_show(lab.store, "1:8", &g, &why), why);
    assert_string_equal(shown(&g, "Outcome", ""), "failed");
    assert_string_equal(shown(&g, "Error", ""), "agent here: gone");
    grid_fini(&g);
    check_ok(answer_show(lab.store, ":2", &g, &why), why);
    assert_string_equal(shown(&g, "Outcome", ""), "oom");
    assert_true(strstr(g.notes[2], "partial:") == g.notes[2]);
    grid_fini(&g);
    lab_fini(&lab);
}

static void answer_show_finds_trials_by_number_and_own_id(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    lab_open(&lab);
    lab_plan(&lab);
    grid_init(&g);
    check_ok(answer_show(lab.store, "10", &g, &why), why);
    assert_string_equal(g.notes[0],
                        "trial 1:10 of demo: heap=256m,link=loopback");
    assert_string_equal(shown(&g, "Outcome", ""), "none yet");
    grid_fini(&g);
    static const struct {
        const char *word;
        enum err e;
        const char *says;
    } bad[] = {{"demo:11", ERR_NOTFOUND, "no trial \"demo:11\""},
               {"nobody:1", ERR_NOTFOUND, "no experiment \"nobody\""},
               {"11", ERR_NOTFOUND, "no trial \"11\""},
               {"demo", ERR_INVALID, "trial \"demo\""},
               {"demo:", ERR_INVALID, "trial \"demo:\""},
               {"", ERR_INVALID, "trial \"\""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(answer_show(lab.store, bad[i].word, &g, &why), bad[i].e);
        check_says(why, bad[i].says);
        grid_fini(&g);
    }
    lab_fini(&lab);
}

static void v_trial_has_one_row_per_measured_trial(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    for (uint32_t tid = 1; tid <= 10; tid++)
        (void)lab_docs(&lab, tid, 1000 + tid, 1000 + tid);
    /* 4 cells x 2 iterations; the canary is hidden. */
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_trial where outcome = 'ok'"), 8);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial_all"), 10);
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_trial where heap = '1g' and link "
                      "= 'eth200' and target = 'pitwall' and track = "
                      "'geonames' and predictor is null"),
        2);
    check_near(lab_real(&lab, "select throughput from v_trial where tid = 3"),
               1003, 0);
    /* sqrt(1003 * 1008) */
    check_near(lab_real(&lab, "select throughput from v_cell where cell = "
                              "'heap=1g,link=loopback'"),
               1005.4969, 1e-4);
    lab_fini(&lab);
}

static void v_cell_counts_every_end(void **state)
{
    (void)state;
    struct lab lab;
    measured(&lab);
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_cell where (cell = "
                      "'heap=256m,link=loopback' and trials = 2 and ok = 2) or "
                      "(cell = 'heap=256m,link=eth200' and ok = 1 and oom = 1) "
                      "or (cell = 'heap=1g,link=loopback' and ok = 1 and "
                      "failed = 1) or (cell = 'heap=1g,link=eth200' and ok = 2 "
                      "and invalid = 1 and round(throughput) = 900) or "
                      "canary"),
        5);
    lab_fini(&lab);
}

static void v_sample_has_one_row_per_second(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    assert_int_equal(lab_int(&lab, "select count(*) from v_sample"), 4);
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_sample where second = 1 and docs "
                      "= 1100 and link_rx_bytes = 500000 and segs_retrans = 2 "
                      "and rcvq_pruned = 3 and target_reads = 20 and tid = 1"),
        1);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void answer_query_reads_and_keeps_numbers(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    grid_init(&g);
    check_ok(answer_query(lab.store,
                          "select tid, throughput, cell, error, x'0aff' as b "
                          "from v_trial where tid = 10",
                          &g, &why),
             why);
    assert_int_equal(g.n_rows, 1);
    assert_string_equal(text(&g, 0, "tid"), "10");
    assert_string_equal(text(&g, 0, "throughput"), "1210");
    check_near(g.cells[1].value, 1210, 0);
    assert_true(g.cells[1].has_value);
    assert_string_equal(text(&g, 0, "cell"), "heap=256m,link=loopback");
    assert_string_equal(text(&g, 0, "error"), "");
    assert_string_equal(text(&g, 0, "b"), "x'0aff'");
    assert_true(g.columns[0].right);
    assert_false(g.columns[2].right);
    grid_fini(&g);
    check_ok(answer_query(lab.store, "select 1 as one where 0", &g, &why), why);
    assert_int_equal(g.n_columns, 1);
    assert_int_equal(g.n_rows, 0);
    grid_fini(&g);
    check_ok(answer_query(lab.store, "select zeroblob(17) as b", &g, &why),
             why);
    assert_string_equal(text(&g, 0, "b"), "x'00000000000000000000000000000000"
                                          "...' (17 bytes)");
    grid_fini(&g);
    lab_fini(&lab);
}

static void answer_query_refuses_to_write_and_bounds_its_answer(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    static const char *const writes[] = {
        "delete from trial", "attach ':memory:' as x", "select 1; select 2",
        "pragma user_version = 3", ""};
    measured(&lab);
    grid_init(&g);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        check_err(answer_query(lab.store, writes[i], &g, &why), ERR_USAGE);
    check_err(answer_query(lab.store, "select speed from v_trial", &g, &why),
              ERR_INVALID);
    check_says(why, "no such column: speed");
    check_err(answer_query(lab.store,
                           "with recursive n(i) as (select 1 union all select "
                           "i + 1 from n) select i, i, i, i from n",
                           &g, &why),
              ERR_RANGE);
    check_says(why, "more than 1000000 cells");
    grid_fini(&g);
    assert_int_equal(lab_int(&lab, "select count(*) from trial"), 10);
    lab_fini(&lab);
}

static void answer_metrics_lists_every_metric(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g);
    answer_metrics(&g);
    assert_null(metric_at(g.n_rows));
    assert_non_null(metric_at(g.n_rows - 1));
    assert_string_equal(text(&g, 0, "metric"), "throughput");
    assert_string_equal(text(&g, 0, "unit"), "docs/s");
    assert_string_equal(text(&g, 0, "better"), "higher");
    assert_string_equal(text(&g, 0, "kind"), "ratio");
    assert_string_equal(text(&g, 0, "source"), "load");
    grid_fini(&g);
}

static void store_verify_finds_one_changed_value(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "update metric set value = value + 1 where name = 'reads'",
        "update sample_link set rx_bytes = rx_bytes + 1 where second = 1",
        "update histogram set blob = x'00' where second is null",
        "update attempt set outcome = 'oom'",
        "update task set docs = docs + 1",
        "update driver set docs_acked = 0",
        "update fact set value = 'veth mtu 1501'",
        "update artifact set content = x'00' where name like 'stderr%'"};
    struct spooler spool = {0};
    spooler_trial(&spool);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct lab lab;
        uint64_t rows = 0;
        char table[32];
        lab_open(&lab);
        lab_plan(&lab);
        (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
        check_ok(store_verify(lab.store, &rows, &why), why);
        assert_true(rows > 100);
        lab_exec(&lab, changes[i]);
        check_err(store_verify(lab.store, &rows, &why), ERR_CORRUPT);
        (void)sscanf(changes[i], "update %31s", table);
        check_says(why, table);
        check_says(why, "does not match its ");
        lab_fini(&lab);
    }
    spooler_free(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_find_knows_ids_names_and_the_newest),
        cmocka_unit_test(answer_counts_tells_how_far_it_is),
        cmocka_unit_test(answer_list_has_the_newest_first_and_filters),
        cmocka_unit_test(answer_show_has_rallys_rows_in_rallys_order),
        cmocka_unit_test(answer_show_tells_why_a_trial_does_not_count),
        cmocka_unit_test(answer_show_finds_trials_by_number_and_own_id),
        cmocka_unit_test(v_trial_has_one_row_per_measured_trial),
        cmocka_unit_test(v_cell_counts_every_end),
        cmocka_unit_test(v_sample_has_one_row_per_second),
        cmocka_unit_test(answer_query_reads_and_keeps_numbers),
        cmocka_unit_test(answer_query_refuses_to_write_and_bounds_its_answer),
        cmocka_unit_test(answer_metrics_lists_every_metric),
        cmocka_unit_test(store_verify_finds_one_changed_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
