/* What is entered into a store reads back: argv[1] is the source tree. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/entry.h"
#include "controller/experiment_file.h"
#include "results/answer.h"
#include "tests/lib/check.h"

static const char *root;
static struct experiment *ex;
static struct trials *trials;
static struct store *store;
static struct why why;
static int64_t id;

static int begin(void **state)
{
    (void)state;
    static const char *const tags[] = {"who=me", "why=test"};
    struct entry entry = {.uuid = "11111111-2222-4333-8444-555555555555",
                          .benches = (const char *const[]){"lab1"},
                          .n_benches = 1,
                          .tags = tags,
                          .n_tags = 2};
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    (void)snprintf(ex->name, sizeof ex->name, "x");
    (void)snprintf(ex->track, sizeof ex->track, "%s/tracks/geonames.json",
                   root);
    ex->iterations = 2;
    ex->seed = 42;
    ex->canary = CANARY_ON;
    check_ok(experiment_option(ex, "heap=256m,1g", &why), why);
    check_ok(experiment_option(ex, "link=loopback,eth@veth:mtu=1500", &why),
             why);
    check_ok(experiment_exclude(ex, "heap=256m,link=eth", &why), why);
    check_ok(trials_make(&trials, ex, false, &why), why);
    entry.trials = trials;
    check_ok(store_open(&store, "lab.db", STORE_WRITE, &why), why);
    check_ok(entry_add(store, &entry, &id, &why), why);
    return 0;
}

static int end(void **state)
{
    (void)state;
    store_close(store);
    (void)unlink("lab.db");
    (void)unlink("lab.db-wal");
    (void)unlink("lab.db-shm");
    trials_free(trials);
    free(ex);
    return 0;
}

/* The cells of sql's answer, "a b|c d", are want. */
static void query_is(const char *sql, const char *want)
{
    struct grid grid;
    char got[4096] = "";
    size_t used = 0;
    grid_init(&grid);
    check_ok(answer_query(store, sql, &grid, &why), why);
    for (size_t i = 0; i < grid.n_rows * grid.n_columns; i++) {
        const char *gap = i == 0 ? "" : i % grid.n_columns == 0 ? "|" : " ";
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%s", gap,
                                 grid.cells[i].text);
    }
    assert_string_equal(got, want);
    grid_fini(&grid);
}

static void the_experiment_has_its_facts(void **state)
{
    (void)state;
    query_is("select uuid, name, challenge, target, order_kind from "
             "experiment",
             "11111111-2222-4333-8444-555555555555 x append-no-conflicts "
             "pitwall blocks");
    query_is("select distinct bench from v_trial_all", "lab1");
}

static void factors_and_levels_stand_as_written(void **state)
{
    (void)state;
    query_is("select f.name, f.kind, l.label, l.value from level l join "
             "factor f on f.id = l.factor order by f.position, l.position",
             "heap target 256m 256m|heap target 1g 1g|link link loopback "
             "loopback|link link eth veth:mtu=1500");
}

static void cells_have_labels_and_the_canary_is_marked(void **state)
{
    (void)state;
    query_is("select label, purpose from cell order by id",
             "heap=256m,link=loopback measure|heap=1g,link=loopback measure|"
             "heap=1g,link=eth measure|heap=256m,link=loopback canary");
}

static void trials_are_numbered_in_running_order(void **state)
{
    (void)state;
    char want[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < trials_count(trials); i++) {
        char label[TRIALS_LABEL_MAX + 1];
        uint32_t cell = trials->order[i];
        used += (size_t)snprintf(
            want + used, sizeof want - used, "%s%u %s %d", i ? "|" : "", i + 1,
            trials_label(trials, cell, label, sizeof label), cell == 3);
    }
    assert_int_equal(trials_count(trials), 8); /* (3 + 1) x 2 */
    query_is("select tid, cell, canary from v_trial_all order by tid", want);
}

static void the_file_that_repeats_it_is_kept(void **state)
{
    (void)state;
    struct grid grid;
    struct jv *doc = NULL;
    struct experiment *again = malloc(sizeof *again);
    assert_non_null(again);
    experiment_init(again);
    grid_init(&grid);
    check_ok(answer_query(store, "select json from experiment", &grid, &why),
             why);
    const char *text = grid.cells[0].text;
    check_ok(jv_parse(&doc, "stored", text, strlen(text), &why), why);
    check_ok(experiment_file_read(again, doc, "x.json", &why), why);
    check_ok(experiment_file_conditions(again, doc, &why), why);
    again->has_seed = ex->has_seed;
    assert_memory_equal(again, ex, sizeof *ex);
    jv_free(doc);
    grid_fini(&grid);
    free(again);
}

static void uuids_are_random_and_of_version_4(void **state)
{
    (void)state;
    char a[37], b[37];
    check_ok(entry_uuid(a, &why), why);
    check_ok(entry_uuid(b, &why), why);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 36);
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    assert_true(a[8] == '-' && a[13] == '-' && a[18] == '-' && a[23] == '-');
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/pitwall-entry-XXXXXX";
    if (argc < 2 || !mkdtemp(folder) || chdir(folder))
        return 1;
    root = argv[1];
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(the_experiment_has_its_facts),
        CASE(factors_and_levels_stand_as_written),
        CASE(cells_have_labels_and_the_canary_is_marked),
        CASE(trials_are_numbered_in_running_order),
        CASE(the_file_that_repeats_it_is_kept),
        CASE(uuids_are_random_and_of_version_4),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : rc;
}
