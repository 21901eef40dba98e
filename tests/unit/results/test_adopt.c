/* Experiments of another store come in whole, once. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/adopt.h"
#include "results/export.h"
#include "results/remark.h"
#include "tests/unit/results/lab.h"

static struct why why;
static struct grid g;

static enum err adopt(struct lab *into, const char *path)
{
    grid_fini(&g);
    grid_init(&g);
    return adopt_store(into->store, path, &g, &why);
}

static char *sheet(struct lab *lab, int64_t experiment)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    check_ok(export_csv(lab->store, experiment, out, &why), why);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* A measured store, and ours with an experiment of its own. */
static void two(struct lab *theirs, struct lab *ours)
{
    struct spooler spool = {0};
    int64_t experiment, tid;
    lab_open(theirs);
    lab_plan(theirs);
    lab_measure(theirs);
    spooler_trial(&spool);
    (void)lab_end(theirs, 1, OUTCOME_OK, &spool);
    spooler_free(&spool);
    check_ok(
        remark_note(theirs->store, "1:1", "theirs", &experiment, &tid, &why),
        why);
    lab_open(ours);
    lab_plan(ours);
    lab_exec(ours, "update experiment set uuid = 'ours'");
    (void)lab_docs(ours, 1, 5, 5);
}

static void all_of_an_experiment_comes_in_under_new_ids(void **state)
{
    (void)state;
    struct lab theirs, ours;
    uint64_t rows = 0;
    two(&theirs, &ours);
    check_ok(adopt(&ours, theirs.path), why);
    assert_int_equal(g.n_rows, 1);
    assert_string_equal(g.cells[4].text, "2");
    char *want = sheet(&theirs, 1), *got = sheet(&ours, 2);
    assert_string_equal(got, want);
    free(want);
    free(got);
    /* Every checksum is good under its new ids, and no table lacks a row. */
    check_ok(store_verify(ours.store, &rows, &why), why);
    static const char *const tables[] = {
        "sample_load", "sample_link", "histogram", "artifact",  "fact",
        "task",        "metric",      "attempt",   "cell_level"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[100];
        (void)snprintf(sql, sizeof sql, "select count(*) from %s", tables[i]);
        int64_t theirs_n = lab_int(&theirs, sql), own = i < 7;
        if (own)
            (void)snprintf(sql, sizeof sql,
                           "select count(*) from %s where attempt > 1",
                           tables[i]);
        assert_true(theirs_n > 0);
        assert_int_equal(lab_int(&ours, sql),
                         own ? theirs_n : theirs_n + (i == 7 ? 1 : 10));
    }
    assert_int_equal(lab_int(&ours, "select count(*) from note n join trial t "
                                    "on t.id = n.trial where t.experiment = 2"),
                     1);
    assert_int_equal(lab_int(&ours, "select count(*) from "
                                    "pragma_foreign_key_check"),
                     0);
    assert_int_equal(lab_int(&ours, "select count(*) from experiment where id "
                                    "= 2 and state = 'interrupted'"),
                     1);
    lab_fini(&theirs);
    lab_fini(&ours);
}

static void a_double_is_told_and_skipped(void **state)
{
    (void)state;
    struct lab theirs, ours;
    two(&theirs, &ours);
    check_ok(adopt(&ours, theirs.path), why);
    check_ok(adopt(&ours, theirs.path), why);
    assert_int_equal(g.n_rows, 1);
    assert_string_equal(g.cells[5].text, "there already, skipped");
    assert_int_equal(lab_int(&ours, "select count(*) from experiment"), 2);
    check_err(adopt(&ours, ours.path), ERR_USAGE);
    check_says(why, "is the store itself");
    lab_fini(&theirs);
    lab_fini(&ours);
}

static void a_damaged_row_lets_nothing_in(void **state)
{
    (void)state;
    struct lab theirs, ours;
    two(&theirs, &ours);
    lab_exec(&theirs, "update metric set value = value + 1 where name = "
                      "'throughput' and attempt = 1");
    check_err(adopt(&ours, theirs.path), ERR_CORRUPT);
    check_says(why, "experiment 1: table metric: metric attempt=1 "
                    "name=throughput");
    assert_int_equal(lab_int(&ours, "select count(*) from experiment"), 1);
    assert_int_equal(lab_int(&ours, "select count(*) from factor"), 2);
    lab_fini(&theirs);
    lab_fini(&ours);
}

static void an_older_store_is_migrated_in_a_copy(void **state)
{
    (void)state;
    struct lab old, ours;
    char copy[200];
    struct stat st;
    lab_init(&old);
    lab_script(&old, "store_v1.sql");
    lab_open(&ours);
    int64_t n = lab_int(&old, "select count(*) from experiment");
    check_ok(adopt(&ours, old.path), why);
    assert_int_equal(lab_int(&ours, "select count(*) from experiment"), n);
    assert_int_equal(lab_int(&old, "select user_version from "
                                   "pragma_user_version"),
                     1);
    (void)snprintf(copy, sizeof copy, "%s.merge-%ld", ours.path,
                   (long)getpid());
    assert_int_not_equal(stat(copy, &st), 0);
    lab_exec(&old, "pragma user_version = 99");
    check_err(adopt(&ours, old.path), ERR_VERSION);
    check_err(adopt(&ours, "/nowhere/x.db"), ERR_NOTFOUND);
    lab_fini(&old);
    lab_fini(&ours);
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
        cmocka_unit_test(all_of_an_experiment_comes_in_under_new_ids),
        cmocka_unit_test(a_double_is_told_and_skipped),
        cmocka_unit_test(a_damaged_row_lets_nothing_in),
        cmocka_unit_test(an_older_store_is_migrated_in_a_copy)};
    return cmocka_run_group_tests(tests, NULL, end);
}
