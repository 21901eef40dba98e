#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/fetch.h"
#include "tests/unit/results/lab.h"

static struct lab lab;
static struct grid grid;
static struct why why;
static char folder[128];

/* Trial 1 has run; its folder for files is not there yet. */
static int begin(void **state)
{
    (void)state;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    spooler_text(&spool, SPOOL_GC_LOG, "[0.1s] GC(0) ");
    spooler_text(&spool, SPOOL_GC_LOG, "Pause Young\n");
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    spooler_free(&spool);
    (void)snprintf(folder, sizeof folder, "%s/files", lab.dir);
    grid_init(&grid);
    return 0;
}

static int end(void **state)
{
    (void)state;
    static const char *const names[] = {"executor.json", "gc.log",
                                        "stderr-target.txt",
                                        "target-final.json", "gc.log.part"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    grid_fini(&grid);
    lab_fini(&lab);
    return 0;
}

static void file_is(const char *name, const char *want)
{
    char path[256], got[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    (void)fclose(f);
    assert_string_equal(got, want);
}

static void fetch_writes_every_artifact_under_its_name(void **state)
{
    (void)state;
    char path[256];
    check_ok(fetch(lab.store, "1:1", NULL, folder, &grid, &why), why);
    file_is("gc.log", "[0.1s] GC(0) Pause Young\n");
    file_is("stderr-target.txt", "listening\n");
    assert_int_equal(grid.n_rows, 4);
    assert_string_equal(grid.cells[0].text, "executor.json");
    assert_string_equal(grid.cells[4].text, "gc.log");
    assert_int_equal(grid.cells[5].value, 25);
    /* By sha256sum of those 25 bytes. */
    assert_string_equal(grid.cells[6].text, "4e37d5bc7fdd97d7721d423b79bd3c33"
                                            "850f575203a02a0dc6b29c0b5279b37b");
    (void)snprintf(path, sizeof path, "%s/gc.log", folder);
    assert_string_equal(grid.cells[7].text, path);
    assert_string_equal(grid.cells[8].text, "stderr-target.txt");
    assert_string_equal(grid.cells[12].text, "target-final.json");
}

static void fetch_into_no_folder_lists_only(void **state)
{
    (void)state;
    check_ok(fetch(lab.store, "1:1", NULL, NULL, &grid, &why), why);
    assert_int_equal(grid.n_rows, 4);
    assert_int_equal(grid.n_columns, 3);
    assert_string_equal(grid.cells[3].text, "gc.log");
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(access("gc.log", F_OK), -1);
}

static void fetch_writes_one_by_name_and_replaces_it(void **state)
{
    (void)state;
    check_ok(fetch(lab.store, "demo:1", "gc.log", folder, &grid, &why), why);
    assert_int_equal(grid.n_rows, 1);
    lab_exec(&lab, "update artifact set content = cast('x' as blob), "
                   "sha256 = '2d711642b726b04401627ca9fbac32f5"
                   "c8530fb1903cc4db02258717921a4881' where name = 'gc.log'");
    grid_fini(&grid);
    grid_init(&grid);
    check_ok(fetch(lab.store, "1:1", "gc.log", folder, &grid, &why), why);
    file_is("gc.log", "x");
}

static void fetch_says_what_there_is(void **state)
{
    (void)state;
    check_err(fetch(lab.store, "1:1", "heap.jfr", folder, &grid, &why),
              ERR_NOTFOUND);
    assert_string_equal(why.text,
                        "trial \"1:1\": no artifact heap.jfr; it has: "
                        "executor.json, gc.log, stderr-target.txt, "
                        "target-final.json");
    grid_fini(&grid);
    grid_init(&grid);
    check_err(fetch(lab.store, "1:2", NULL, folder, &grid, &why), ERR_NOTFOUND);
    assert_string_equal(why.text, "trial \"1:2\" was not tried yet");
    grid_fini(&grid);
    grid_init(&grid);
    check_err(fetch(lab.store, "1:99", NULL, folder, &grid, &why),
              ERR_NOTFOUND);
    check_says(why, "holds no trial \"1:99\"");
    assert_int_equal(access(folder, F_OK), -1);
}

static void fetch_writes_nothing_that_was_changed(void **state)
{
    (void)state;
    lab_exec(&lab, "update artifact set content = cast('x' as blob) where "
                   "name = 'gc.log'");
    check_err(fetch(lab.store, "1:1", "gc.log", folder, &grid, &why),
              ERR_CORRUPT);
    assert_string_equal(why.text, "artifact gc.log: the content does not match "
                                  "its digest");
    assert_int_equal(access(folder, F_OK), -1);
}

static void fetch_leaves_its_folder_under_no_name(void **state)
{
    (void)state;
    static const char *const names[] = {"../x", "/tmp/x", ".profile", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char sql[128];
        (void)snprintf(sql, sizeof sql,
                       "update artifact set name = '%s' where bytes = 25",
                       names[i]);
        lab_exec(&lab, sql);
        grid_fini(&grid);
        grid_init(&grid);
        check_err(fetch(lab.store, "1:1", names[i], folder, &grid, &why),
                  ERR_INVALID);
        check_says(why, "no file's name");
        assert_int_equal(access(folder, F_OK), -1);
    }
}

static void fetch_names_what_cannot_be_written(void **state)
{
    (void)state;
    check_err(fetch(lab.store, "1:1", "gc.log", "/proc/none/x", &grid, &why),
              ERR_NOTFOUND);
    check_says(why, "make folder /proc/none/x: No such file or directory");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(fetch_writes_every_artifact_under_its_name),
        CASE(fetch_into_no_folder_lists_only),
        CASE(fetch_writes_one_by_name_and_replaces_it),
        CASE(fetch_says_what_there_is),
        CASE(fetch_writes_nothing_that_was_changed),
        CASE(fetch_leaves_its_folder_under_no_name),
        CASE(fetch_names_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
