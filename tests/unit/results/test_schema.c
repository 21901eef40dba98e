#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/record.h"
#include "results/schema.h"
#include "tests/unit/results/lab.h"

static struct why why;

static struct db *opened(const struct lab *lab, enum db_mode mode)
{
    struct db *db = NULL;
    check_ok(db_open(&db, lab->path,
                     &(struct db_options){.mode = mode, .busy_ms = 20}, &why),
             why);
    return db;
}

static void run(struct db *db, const char *sql)
{
    check_ok(db_run(db, sql, DB_NONE, NULL, &why), why);
}

static int64_t number(struct db *db, const char *sql)
{
    int64_t n = -1;
    check_ok(db_run(db, sql, DB_NONE, &n, &why), why);
    return n;
}

static void an_empty_file_becomes_a_store(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    check_ok(schema_open(db, lab.path, true, &why), why);
    assert_int_equal(number(db, "pragma application_id"), 0x50495457);
    assert_int_equal(number(db, "pragma user_version"), SCHEMA_VERSION);
    assert_int_equal(number(db, "select count(*) from pragma_journal_mode "
                                "where journal_mode = 'wal'"),
                     1);
    /* 17 tables of schema.sql, attempt_agent, driver_ceiling, accepted, sitting
     * and look, and one per kind of records but hist. */
    assert_int_equal(
        number(db, "select count(*) from sqlite_master where type = 'table'"),
        22 + RECORD_KIND_LAST - 1);
    assert_int_equal(
        number(db, "select count(*) from sqlite_master where type = 'view'"),
        6);
    /* Twice changes nothing. */
    int64_t before = number(db, "pragma schema_version");
    check_ok(schema_open(db, lab.path, true, &why), why);
    assert_int_equal(number(db, "pragma schema_version"), before);
    db_close(db);
    lab_fini(&lab);
}

static void every_view_can_be_read(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    check_ok(schema_open(db, lab.path, true, &why), why);
    run(db, "select * from v_level");
    run(db, "select * from v_trial");
    run(db, "select * from v_trial_all");
    run(db, "select * from v_cell");
    run(db, "select * from v_sample");
    run(db, "select target, heap, predictor, rmem, link, track, \"throughput\","
            " latency_p99_9, young_pause_ns from v_trial");
    db_close(db);
    lab_fini(&lab);
}

static void a_strangers_database_is_refused_and_untouched(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    run(db, "create table bookmarks (url)");
    check_err(schema_open(db, lab.path, true, &why), ERR_CORRUPT);
    check_says(why, lab.path);
    check_says(why, "a stranger's database");
    assert_int_equal(number(db, "select count(*) from sqlite_master"), 1);
    assert_int_equal(number(db, "select count(*) from pragma_journal_mode "
                                "where journal_mode = 'delete'"),
                     1);
    run(db, "pragma application_id = 77");
    check_err(schema_open(db, lab.path, false, &why), ERR_CORRUPT);
    db_close(db);
    lab_fini(&lab);
}

static void an_empty_database_is_no_store_to_read(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    run(db, "pragma journal_mode = wal");
    check_err(schema_open(db, lab.path, false, &why), ERR_CORRUPT);
    check_says(why, "an empty database, not a store of pitwall");
    db_close(db);
    lab_fini(&lab);
}

static void a_newer_schema_is_refused_by_its_number(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    check_ok(schema_open(db, lab.path, true, &why), why);
    run(db, "pragma user_version = 99");
    check_err(schema_open(db, lab.path, true, &why), ERR_VERSION);
    check_says(why, "version 99");
    check_says(why, "use a newer one");
    check_err(schema_open(db, lab.path, false, &why), ERR_VERSION);
    run(db, "pragma user_version = 0");
    check_err(schema_open(db, lab.path, true, &why), ERR_VERSION);
    db_close(db);
    lab_fini(&lab);
}

/* Every table of a store that version 1 wrote, columns and keys, is after its
 * migration as a new one's: what changes one of them needs a step and a new
 * version. Those of records grow with their field lists. */
static void version_1_becomes_what_a_new_store_is(void **state)
{
    (void)state;
    static const char columns[] =
        "select group_concat(m.name || '.' || c.name || ' ' || c.type || ' ' "
        "|| c.pk || ' ' || c.\"notnull\", '; ') from (select name from "
        "sqlite_master where type = 'table' and name not like 'sample%' and "
        "name not in ('task', 'driver', 'fact', 'driver_host', 'stack', 'jvm') "
        "order by name) m, pragma_table_info(m.name) c";
    char *text[2];
    for (int i = 0; i < 2; i++) {
        struct lab lab;
        struct db_stmt *stmt = NULL;
        bool row = false;
        lab_init(&lab);
        if (i)
            lab_script(&lab, "store_v1.sql");
        struct db *db = opened(&lab, DB_WRITE);
        check_ok(schema_open(db, lab.path, true, &why), why);
        check_ok(db_prepare(db, &stmt, columns, DB_NONE, &why), why);
        check_ok(db_step(stmt, &row, &why), why);
        text[i] = strdup(db_column(stmt, 0).data);
        db_finish(stmt);
        db_close(db);
        lab_fini(&lab);
    }
    assert_int_equal(SCHEMA_VERSION, 13);
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

static void a_store_of_version_1_is_opened_with_all_it_holds(void **state)
{
    (void)state;
    struct lab lab;
    uint64_t rows = 0;
    lab_init(&lab);
    lab_script(&lab, "store_v1.sql");
    assert_int_equal(chmod(lab.path, 0444), 0);
    assert_int_equal(chmod(lab.dir, 0755), 0);
    lab_rights(false);
    enum err e = store_open(&lab.store, lab.path, STORE_READ, &why);
    lab_rights(true);
    assert_int_equal(chmod(lab.path, 0644), 0);
    check_err(e, ERR_VERSION);
    check_says(why, "an older pitwall has made it, and it cannot be migrated "
                    "here (");
    check_says(why, "read a copy that you may write");
    assert_int_equal(lab_int(&lab, "pragma user_version"), 1);
    check_ok(store_open(&lab.store, lab.path, STORE_READ, &why), why);
    assert_int_equal(lab_int(&lab, "pragma user_version"), SCHEMA_VERSION);
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_trial where outcome = 'ok'"), 1);
    check_near(lab_real(&lab, "select throughput from v_trial"), 1000, 0);
    check_ok(store_verify(lab.store, &rows, &why), why);
    assert_true(rows > 100);
    lab_fini(&lab);
}

/* Of cells 1 to 5 the last is a canary there; 2 meant an extra one. */
static void canaries_of_an_old_store_become_purposes(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    lab_script(&lab, "store_v1.sql");
    struct db *db = opened(&lab, DB_WRITE);
    run(db, "update cell set canary = 2, canary_of = 1 where id = 4");
    check_ok(schema_open(db, lab.path, true, &why), why);
    db_close(db);
    check_ok(store_open(&lab.store, lab.path, STORE_WRITE, &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from cell where purpose = "
                                   "'measure' and id < 4"),
                     3);
    assert_int_equal(
        lab_int(&lab, "select id from cell where purpose = 'profile'"), 4);
    assert_int_equal(
        lab_int(&lab, "select id from cell where purpose = 'canary'"), 5);
    assert_int_equal(
        lab_int(&lab, "select count(*) from v_cell where canary = 1"), 1);
    lab_fini(&lab);
}

static enum err add_one(struct db *db, struct why *w)
{
    return db_run(db, "create table one (a)", DB_NONE, NULL, w);
}

static enum err add_two(struct db *db, struct why *w)
{
    return db_run(db, "create table two (a)", DB_NONE, NULL, w);
}

static enum err add_and_fail(struct db *db, struct why *w)
{
    enum err e = add_two(db, w);
    return e ? e : err_set(w, ERR_NOSPACE, "no room");
}

static void schema_migrate_runs_the_steps_that_are_missing(void **state)
{
    (void)state;
    struct lab lab;
    schema_step *const steps[] = {add_one, add_two};
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    run(db, "create table one (a, b)");
    check_ok(schema_migrate(db, steps, 2, 1, &why), why);
    assert_int_equal(number(db, "pragma user_version"), 2);
    assert_int_equal(number(db, "select count(*) from sqlite_master"), 2);
    check_ok(schema_migrate(db, steps, 2, 2, &why), why);
    db_close(db);
    lab_fini(&lab);
}

static void a_step_that_fails_leaves_the_old_version(void **state)
{
    (void)state;
    struct lab lab;
    schema_step *const steps[] = {add_one, add_and_fail};
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    check_ok(db_begin(db, true, &why), why);
    enum err e = schema_migrate(db, steps, 2, 0, &why);
    check_says(why, "from schema 1 to 2: no room");
    check_err(db_end(db, e, &why), ERR_NOSPACE);
    assert_int_equal(number(db, "pragma user_version"), 0);
    assert_int_equal(number(db, "select count(*) from sqlite_master"), 0);
    db_close(db);
    lab_fini(&lab);
}

static void a_view_of_an_older_build_is_replaced(void **state)
{
    (void)state;
    struct lab lab;
    lab_init(&lab);
    struct db *db = opened(&lab, DB_WRITE);
    check_ok(schema_open(db, lab.path, true, &why), why);
    run(db, "drop view v_cell");
    run(db, "create view v_cell as select 1 as old");
    check_ok(schema_open(db, lab.path, true, &why), why);
    run(db, "select throughput from v_cell");
    db_close(db);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_becomes_a_store),
        cmocka_unit_test(every_view_can_be_read),
        cmocka_unit_test(a_strangers_database_is_refused_and_untouched),
        cmocka_unit_test(an_empty_database_is_no_store_to_read),
        cmocka_unit_test(a_newer_schema_is_refused_by_its_number),
        cmocka_unit_test(version_1_becomes_what_a_new_store_is),
        cmocka_unit_test(a_store_of_version_1_is_opened_with_all_it_holds),
        cmocka_unit_test(canaries_of_an_old_store_become_purposes),
        cmocka_unit_test(schema_migrate_runs_the_steps_that_are_missing),
        cmocka_unit_test(a_step_that_fails_leaves_the_old_version),
        cmocka_unit_test(a_view_of_an_older_build_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
