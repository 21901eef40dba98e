/* What others measured goes in whole or not at all, and comes out the same. */
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "results/answer.h"
#include "results/compare.h"
#include "results/digest.h"
#include "results/export.h"
#include "results/foreign_read.h"
#include "results/import.h"
#include "tests/unit/results/lab.h"

static struct why why;

static enum err import(struct lab *lab, const char *text, int64_t *id)
{
    struct foreign f;
    char sha256[DIGEST_HEX_SIZE];
    static const char *const tags[] = {"who=them"};
    const struct import_words words = {.file = "some/t.csv",
                                       .sha256 = sha256,
                                       .version = "0.1.0",
                                       .tags = tags,
                                       .n_tags = 1};
    check_ok(digest(text, strlen(text), sha256, &why), why);
    check_ok(foreign_read(&f, "t.csv", text, strlen(text), NULL, &why), why);
    enum err e = import_store(lab->store, &f, &words, id, &why);
    foreign_fini(&f);
    return e;
}

/* The experiment as export_csv or export_json writes it, malloc'ed. */
static char *export(const struct lab *lab, int64_t id, bool json)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    check_ok((json ? export_json : export_csv)(lab->store, id, out, &why), why);
    assert_int_equal(fclose(out), 0);
    return text;
}

static const char sheet[] =
    "block,heap,link,outcome,invalid,task,metric,value\n"
    "1,1g,lo,ok,,,latency_p50,1500000.25\n"
    "1,1g,lo,ok,,,throughput,1200\n"
    "1,1g,lo,ok,,index,throughput,0.1\n"
    "1,2g,lo,oom,,,throughput,7\n"
    "2,1g,lo,ok,\"dropped, steal_cpu\",,throughput,1000\n"
    "2,2g,lo,failed,,,,\n"
    ",1g,lo,ok,,,throughput,5\n"
    ",2g,lo,ok,,,throughput,6\n"
    ",1g,lo,ok,,,throughput,8\n";

static void an_import_comes_out_as_it_went_in(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    lab_open(&lab);
    check_ok(import(&lab, sheet, &id), why);
    char *text = export(&lab, id, false);
    assert_string_equal(text, sheet);
    free(text);
    uint64_t rows = 0;
    check_ok(store_verify(lab.store, &rows, &why), why);
    /* 8 figures and 7 attempts */
    assert_int_equal(rows, 15);
    /* Blocks 1 and 2, and one for each trial of a cell without a block. */
    assert_int_equal(lab_int(&lab, "select group_concat(iteration || paired, "
                                   "'') + 0 from block"),
                     11213040);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial where heap = "
                                   "'1g' and cell = 'heap=1g'"),
                     4);
    assert_int_equal(lab_int(&lab, "select count(*) from invalid"), 2);
    assert_int_equal(lab_int(&lab, "select count(*) from experiment where "
                                   "imported = 'csv' and name = 't.csv'"),
                     1);
    char form[16];
    struct db *db = NULL;
    check_ok(
        db_open(&db, lab.path, &(struct db_options){.mode = DB_READ}, &why),
        why);
    check_ok(import_form(db, id, form, sizeof form, &why), why);
    assert_string_equal(form, "csv");
    check_err(import_form(db, 99, form, sizeof form, &why), ERR_NOTFOUND);
    db_close(db);
    lab_fini(&lab);
}

static void the_same_file_is_taken_once(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    lab_open(&lab);
    check_ok(import(&lab, sheet, &id), why);
    check_err(import(&lab, sheet, &id), ERR_EXISTS);
    check_says(why, "some/t.csv: imported before, as experiment 1");
    assert_int_equal(lab_int(&lab, "select count(*) from experiment"), 1);
    lab_fini(&lab);
}

static void nothing_is_left_of_an_import_that_fails(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    lab_open(&lab);
    lab_exec(&lab, "create trigger t before insert on metric when new.value = "
                   "8 begin select raise(abort, 'no more'); end");
    assert_true(import(&lab, sheet, &id));
    assert_int_equal(lab_int(&lab, "select (select count(*) from experiment) + "
                                   "(select count(*) from bench) + (select "
                                   "count(*) from attempt)"),
                     0);
    lab_fini(&lab);
}

static void our_own_experiment_round_trips(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    char *ours = export(&lab, lab.experiment, false);
    /* 6 measured ok, one oom, one failed; the canary is left out. */
    assert_non_null(strstr(ours, "\n1,256m,eth200,oom,,,,\n"));
    assert_non_null(strstr(ours, "\n2,1g,loopback,failed,,,,\n"));
    assert_non_null(strstr(ours, "1,256m,loopback,ok,,,throughput,1000\n"));
    assert_non_null(strstr(ours, "eth200,ok,documents disagree,,throughput,"));
    check_ok(import(&lab, ours, &id), why);
    char *theirs = export(&lab, id, false);
    assert_string_equal(theirs, ours);
    free(ours);
    free(theirs);
    lab_fini(&lab);
}

static void json_has_plan_trials_figures_and_seconds(void **state)
{
    (void)state;
    struct lab lab;
    struct jv *root = NULL;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    lab_exec(&lab, "insert into note (experiment, trial, text) values (1, 1, "
                   "'fan off')");
    char *text = export(&lab, lab.experiment, true);
    check_ok(jv_parse(&root, "export", text, strlen(text), &why), why);
    assert_string_equal(jv_text(jv_get(jv_get(root, "experiment"), "name"), ""),
                        "demo");
    assert_int_equal(jv_size(jv_get(root, "trials")), 8);
    assert_int_equal(jv_size(jv_get(root, "factors")), 4);
    assert_string_equal(
        jv_text(jv_get(jv_at(jv_get(root, "notes"), 0), "text"), ""),
        "fan off");
    const struct jv *trial = jv_at(jv_get(root, "trials"), 0);
    assert_string_equal(jv_text(jv_get(jv_get(trial, "levels"), "heap"), ""),
                        "256m");
    assert_true(jv_size(jv_get(trial, "metrics")) > 10);
    assert_null(jv_get(trial, "_attempt"));
    jv_free(root);
    free(text);
    lab_fini(&lab);
}

static void an_export_refuses_a_damaged_figure(void **state)
{
    (void)state;
    struct lab lab;
    int64_t id = 0;
    char *text = NULL;
    size_t len = 0;
    lab_open(&lab);
    check_ok(import(&lab, sheet, &id), why);
    lab_exec(&lab, "update metric set value = value + 1 where value = 1200");
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    check_err(export_csv(lab.store, id, out, &why), ERR_CORRUPT);
    check_says(why, "metric attempt=1 name=throughput");
    check_err(export_json(lab.store, id, out, &why), ERR_CORRUPT);
    check_err(export_csv(lab.store, 99, out, &why), ERR_OK);
    assert_int_equal(fclose(out), 0);
    free(text);
    lab_fini(&lab);
}

struct files {
    size_t n, lines;
    char first[64];
};

static enum err take(void *ctx, const char *name, const char *data, size_t len,
                     struct why *unused)
{
    struct files *files = ctx;
    (void)unused;
    if (!files->n++)
        (void)snprintf(files->first, sizeof files->first, "%s", name);
    for (size_t i = 0; i + 4 < len; i++)
        files->lines += !strncmp(data + i, "Tag=", 4);
    return ERR_OK;
}

static void nothing_is_gated_on_figures_of_others(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct compare_found found;
    int64_t id = 0;
    static const char *const other[] = {":heap=2g"};
    struct compare_options options = {.base = ":heap=1g",
                                      .contenders = other,
                                      .n_contenders = 1,
                                      .metrics = "throughput",
                                      .margin_ratio = COMPARE_MARGIN,
                                      .alpha = COMPARE_ALPHA};
    lab_open(&lab);
    check_ok(import(&lab,
                    "heap,metric,value\n1g,throughput,10\n1g,throughput,11\n"
                    "1g,throughput,12\n2g,throughput,20\n2g,throughput,21\n"
                    "2g,throughput,22\n",
                    &id),
             why);
    grid_init(&g);
    check_ok(answer_compare(lab.store, &options, &g, &found, &why), why);
    bool loose = false;
    for (size_t i = 0; i < g.n_notes; i++)
        loose |= strstr(g.notes[i], "its file names no blocks") != NULL;
    assert_true(loose);
    grid_fini(&g);
    options.gated = true;
    check_err(answer_compare(lab.store, &options, &g, &found, &why), ERR_USAGE);
    check_says(why, "figures that others measured are there to be read");
    grid_fini(&g);
    lab_fini(&lab);
}

static void hdr_has_a_log_for_each_trial_and_task(void **state)
{
    (void)state;
    struct lab lab;
    struct files files = {.n = 0};
    size_t n = 0;
    lab_open(&lab);
    lab_plan(&lab);
    struct spooler spool = {0};
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    (void)lab_end(&lab, 2, OUTCOME_OK, &spool);
    spooler_free(&spool);
    check_ok(export_hdr(lab.store, lab.experiment, take, &files, &n, &why),
             why);
    assert_int_equal(n, 2);
    assert_int_equal(files.n, 2);
    assert_string_equal(files.first, "1-1-index.hdr");
    assert_int_equal(files.lines, 6);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_import_comes_out_as_it_went_in),
        cmocka_unit_test(the_same_file_is_taken_once),
        cmocka_unit_test(nothing_is_left_of_an_import_that_fails),
        cmocka_unit_test(our_own_experiment_round_trips),
        cmocka_unit_test(json_has_plan_trials_figures_and_seconds),
        cmocka_unit_test(an_export_refuses_a_damaged_figure),
        cmocka_unit_test(nothing_is_gated_on_figures_of_others),
        cmocka_unit_test(hdr_has_a_log_for_each_trial_and_task)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
