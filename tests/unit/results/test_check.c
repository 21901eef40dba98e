#include <stdio.h>

#include "results/check.h"
#include "tests/unit/results/lab.h"

static struct why why;
static struct grid g;
static struct check_counts counts;

static const char *at(size_t row, const char *column)
{
    for (size_t c = 0; c < g.n_columns; c++)
        if (!strcmp(g.columns[c].name, column))
            return g.cells[row * g.n_columns + c].text;
    fail_msg("no column \"%s\"", column);
    return "";
}

/* The column of the row of this trial and check; "": no such row. */
static const char *told(const char *trial, const char *check,
                        const char *column)
{
    for (size_t r = 0; r < g.n_rows; r++)
        if (!strcmp(at(r, "trial"), trial) && !strcmp(at(r, "check"), check))
            return at(r, column);
    return "";
}

static bool noted(const char *part)
{
    for (size_t i = 0; i < g.n_notes; i++)
        if (strstr(g.notes[i], part))
            return true;
    return false;
}

static void check(struct lab *lab, bool faults)
{
    grid_fini(&g);
    grid_init(&g);
    check_ok(
        answer_check(lab->store, lab->experiment, faults, &g, &counts, &why),
        why);
}

static void a_trial_shows_each_source(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    spooler_free(&spool);
    check(&lab, false);
    assert_int_equal(counts.trials, 1);
    assert_true(counts.figures >= 3);
    assert_string_equal(told("1", "documents", "driver"), "2500");
    assert_string_equal(told("1", "documents", "target"), "2500");
    assert_string_equal(told("1", "documents", "verdict"), "agree");
    assert_true(strlen(told("1", "steady state", "verdict")) > 0);
    assert_true(noted("checksums agree"));
    lab_fini(&lab);
}

static void an_injected_miscount_is_caught(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    (void)lab_docs(&lab, 2, 800, 799);
    (void)lab_end(&lab, 3, OUTCOME_OOM, NULL);
    check(&lab, true);
    assert_int_equal(counts.trials, 3);
    assert_int_equal(counts.invalid, 1);
    assert_string_equal(told("2", "documents", "verdict"),
                        "differ: the target counted fewer than were "
                        "acknowledged by 1 docs");
    assert_string_equal(told("2", "documents", "difference"), "0.13");
    assert_string_equal(told("1", "documents", "verdict"), "");
    assert_string_equal(told("2", "validity", "verdict"),
                        "invalid: documents disagree");
    lab_fini(&lab);
}

static void an_edited_store_fails_its_checksum(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    lab_exec(&lab, "update metric set value = 1001 where name = "
                   "'docs_counted' and task = ''");
    grid_fini(&g);
    grid_init(&g);
    check_err(answer_check(lab.store, lab.experiment, false, &g, &counts, &why),
              ERR_CORRUPT);
    check_says(why, "metric attempt=1 name=docs_counted");
    lab_fini(&lab);
}

/* Four cells in four blocks whose throughput falls by 2 % a block: 100000,
 * 98000, ...; with cell i 10 % above cell i - 1. */
static void drift_over_the_sitting_is_told(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    lab_exec(&lab, "insert into block (experiment, iteration, bench) values "
                   "(1, 3, 1), (1, 4, 1)");
    lab_exec(&lab, "insert into trial (experiment, tid, cell, iteration, "
                   "block, position) select 1, 10 * (b.id - 1) / 2 + c.id, "
                   "c.id, b.iteration, b.id, c.id from block b, cell c where "
                   "b.id > 2");
    static const uint64_t docs[4][4] = {{100000, 110000, 121000, 133100},
                                        {98000, 107800, 118580, 130438},
                                        {96040, 105644, 116208, 127829},
                                        {94119, 103531, 113884, 125273}};
    static const uint32_t tids[4][4] = {
        {1, 2, 3, 4}, {10, 9, 8, 7}, {11, 12, 13, 14}, {16, 17, 18, 19}};
    for (int b = 0; b < 4; b++)
        for (int c = 0; c < 4; c++)
            (void)lab_docs(&lab, tids[b][c], docs[b][c], docs[b][c]);
    check(&lab, true);
    assert_true(noted("over the sitting: throughput -2.00 % per block, p "));
    assert_true(noted(": it drifts"));
    assert_true(noted("within blocks: throughput "));
    lab_fini(&lab);
}

static int end(void **state)
{
    (void)state;
    grid_fini(&g);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_shows_each_source),
        cmocka_unit_test(an_injected_miscount_is_caught),
        cmocka_unit_test(an_edited_store_fails_its_checksum),
        cmocka_unit_test(drift_over_the_sitting_is_told)};
    return cmocka_run_group_tests(tests, NULL, end);
}
