#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "results/db.h"
#include "tests/unit/results/lab.h"

static struct why why;

static struct db *opened(const struct lab *lab, enum db_mode mode)
{
    struct db *db = NULL;
    const struct db_options options = {
        .mode = mode, .busy_ms = 20, .limit_ns = 50000000};
    check_ok(db_open(&db, lab->path, &options, &why), why);
    return db;
}

static void run(struct db *db, const char *sql)
{
    check_ok(db_run(db, sql, DB_NONE, NULL, &why), why);
}

static int64_t number(struct db *db, const char *sql)
{
    int64_t n = 0;
    check_ok(db_run(db, sql, DB_NONE, &n, &why), why);
    return n;
}

/* A database with table t (a integer primary key, b) of n rows. */
static struct db *with_rows(struct lab *lab, int n)
{
    lab_init(lab);
    struct db *db = opened(lab, DB_WRITE);
    run(db, "create table t (a integer primary key, b)");
    for (int i = 1; i <= n; i++)
        check_ok(db_run(db, "insert into t values (?, 'x')", DB_VALUES(DB_I(i)),
                        NULL, &why),
                 why);
    return db;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void db_open_names_the_file_that_is_not_there(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = NULL;
    lab_init(&lab);
    check_err(
        db_open(&db, lab.path, &(struct db_options){.mode = DB_READ}, &why),
        ERR_NOTFOUND);
    check_says(why, lab.path);
    check_says(why, "No such file");
    assert_null(db);
    lab_fini(&lab);
}

static void db_open_refuses_a_folder_that_is_not_there(void **state)
{
    (void)state;
    struct db *db = NULL;
    check_err(db_open(&db, "/tmp/pitwall-no-such-folder/lab.db",
                      &(struct db_options){.mode = DB_WRITE}, &why),
              ERR_NOTFOUND);
    check_says(why, "/tmp/pitwall-no-such-folder/lab.db");
}

static void db_open_refuses_what_is_no_file_name(void **state)
{
    (void)state;
    char longer[5000];
    struct db *db = NULL;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    check_err(
        db_open(&db, longer, &(struct db_options){.mode = DB_WRITE}, &why),
        ERR_INVALID);
    check_err(db_open(&db, "", &(struct db_options){.mode = DB_WRITE}, &why),
              ERR_INVALID);
}

static void db_open_refuses_a_file_that_is_no_database(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = NULL;
    lab_init(&lab);
    write_file(lab.path, "a diary, not a database, but long enough for one\n");
    for (int mode = DB_READ; mode <= DB_GUARDED; mode++) {
        check_err(db_open(&db, lab.path,
                          &(struct db_options){.mode = (enum db_mode)mode},
                          &why),
                  ERR_CORRUPT);
        check_says(why, "not a database");
        assert_null(db);
    }
    lab_fini(&lab);
}

static void db_open_writes_no_file_that_may_only_be_read(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 1);
    db_close(db);
    assert_int_equal(chmod(lab.dir, 0755), 0);
    assert_int_equal(chmod(lab.path, 0444), 0);
    lab_rights(false);
    enum err e =
        db_open(&db, lab.path, &(struct db_options){.mode = DB_WRITE}, &why);
    lab_rights(true);
    check_err(e, ERR_PERMISSION);
    check_says(why, lab.path);
    lab_fini(&lab);
}

/* A finished WAL database on a medium where nothing can be written. */
static void db_open_reads_where_nothing_can_be_written(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 3);
    run(db, "pragma journal_mode = wal");
    run(db, "insert into t values (4, 'x')");
    db_close(db);
    assert_int_equal(chmod(lab.path, 0444), 0);
    assert_int_equal(chmod(lab.dir, 0555), 0);
    lab_rights(false);
    enum err e =
        db_open(&db, lab.path, &(struct db_options){.mode = DB_READ}, &why);
    int64_t n = 0;
    if (!e)
        e = db_run(db, "select count(*) from t", DB_NONE, &n, &why);
    db_close(db);
    lab_rights(true);
    check_ok(e, why);
    assert_int_equal(n, 4);
    assert_int_equal(chmod(lab.dir, 0755), 0);
    lab_fini(&lab);
}

static void db_begin_gives_up_on_a_lock_after_busy_ms(void **state)
{
    (void)state;
    struct lab lab;
    struct db *one = with_rows(&lab, 0), *two = opened(&lab, DB_WRITE);
    check_ok(db_begin(one, true, &why), why);
    check_err(db_begin(two, true, &why), ERR_BUSY);
    check_says(why, "locked");
    check_ok(db_end(one, ERR_OK, &why), why);
    check_ok(db_begin(two, true, &why), why);
    check_ok(db_end(two, ERR_OK, &why), why);
    db_close(two);
    db_close(one);
    lab_fini(&lab);
}

static void db_end_takes_everything_back_after_a_failure(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 2);
    check_ok(db_begin(db, true, &why), why);
    run(db, "insert into t values (3, 'x')");
    check_err(db_end(db, ERR_CORRUPT, &why), ERR_CORRUPT);
    assert_int_equal(number(db, "select count(*) from t"), 2);
    check_ok(db_begin(db, true, &why), why);
    run(db, "insert into t values (3, 'x')");
    check_ok(db_end(db, ERR_OK, &why), why);
    assert_int_equal(number(db, "select count(*) from t"), 3);
    db_close(db);
    lab_fini(&lab);
}

static void a_full_disk_is_named_and_leaves_nothing_half(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 2);
    run(db, "pragma max_page_count = 8");
    check_ok(db_begin(db, true, &why), why);
    run(db, "insert into t values (3, 'x')");
    enum err e = db_run(db, "insert into t values (4, zeroblob(100000))",
                        DB_NONE, NULL, &why);
    check_err(e, ERR_NOSPACE);
    check_says(why, "full");
    check_err(db_end(db, e, &why), ERR_NOSPACE);
    assert_int_equal(number(db, "select count(*) from t"), 2);
    run(db, "pragma max_page_count = 1000");
    run(db, "insert into t values (4, zeroblob(100000))");
    db_close(db);
    lab_fini(&lab);
}

static void values_come_back_as_they_went_in(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 0);
    struct db_stmt *stmt = NULL;
    bool row = false;
    check_ok(db_prepare(db, &stmt, "select ?, ?, ?, ?, ?, ?",
                        DB_VALUES(DB_I(INT64_MIN), DB_F(-0.5), DB_T("a\nb"),
                                  DB_T(NULL), DB_B("\0\1", 2), DB_B(NULL, 0)),
                        &why),
             why);
    check_ok(db_step(stmt, &row, &why), why);
    assert_true(row);
    assert_int_equal(db_column(stmt, 0).type, DB_INT);
    assert_true(db_column(stmt, 0).i == INT64_MIN);
    assert_int_equal(db_column(stmt, 1).type, DB_REAL);
    check_near(db_column(stmt, 1).f, -0.5, 0);
    assert_string_equal(db_column(stmt, 2).data, "a\nb");
    assert_int_equal(db_column(stmt, 2).len, 3);
    assert_int_equal(db_column(stmt, 3).type, DB_NULL);
    assert_int_equal(db_column(stmt, 4).len, 2);
    assert_memory_equal(db_column(stmt, 4).data, "\0\1", 2);
    assert_int_equal(db_column(stmt, 5).type, DB_BLOB);
    assert_int_equal(db_column(stmt, 5).len, 0);
    assert_non_null(db_column_name(stmt, 5));
    assert_null(db_column_name(stmt, 6));
    check_ok(db_step(stmt, &row, &why), why);
    assert_false(row);
    db_bind(stmt, (struct db_value[]){DB_I(7)}, 1);
    check_ok(db_step(stmt, &row, &why), why);
    assert_true(row);
    assert_int_equal(db_column(stmt, 0).i, 7);
    db_finish(stmt);
    db_close(db);
    lab_fini(&lab);
}

static void db_run_tells_no_row_from_a_row(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 2);
    int64_t n = 0;
    assert_int_equal(number(db, "select a from t order by a desc"), 2);
    check_err(db_run(db, "select a from t where a = 9", DB_NONE, &n, &why),
              ERR_NOTFOUND);
    check_ok(db_run(db, "select a from t where a = 9", DB_NONE, NULL, &why),
             why);
    check_err(
        db_run(db, "insert into t values (1, 'again')", DB_NONE, NULL, &why),
        ERR_EXISTS);
    check_err(db_run(db, "selec a from t", DB_NONE, NULL, &why), ERR_INVALID);
    check_says(why, "syntax error");
    check_err(db_run(db, "select 1; select 2", DB_NONE, NULL, &why), ERR_USAGE);
    check_err(db_run(db, " -- nothing", DB_NONE, NULL, &why), ERR_USAGE);
    check_ok(db_run(db, "select 1 ;\n", DB_NONE, NULL, &why), why);
    db_close(db);
    lab_fini(&lab);
}

/* What SQLite made of a text serves again: with other values, while the first
 * is still in use, and after the table has changed. */
static void statements_of_the_same_text_do_not_meet(void **state)
{
    (void)state;
    static const char sql[] = "select a, ? from t order by a";
    struct db *db = NULL;
    struct db_stmt *one = NULL, *two = NULL;
    bool row = false;
    const struct db_options options = {.mode = DB_WRITE};
    check_ok(db_open(&db, ":memory:", &options, &why), why);
    run(db, "create table t (a)");
    run(db, "insert into t values (1), (2)");
    for (int i = 0; i < 2; i++) { /* the second time both are kept ones */
        check_ok(db_prepare(db, &one, sql, DB_VALUES(DB_I(7)), &why), why);
        check_ok(db_step(one, &row, &why), why);
        check_ok(db_prepare(db, &two, sql, DB_NONE, &why), why);
        check_ok(db_step(two, &row, &why), why);
        assert_int_equal(db_column(two, 0).i, 1);
        assert_int_equal(db_column(two, 1).type, DB_NULL); /* not 7 */
        check_ok(db_step(one, &row, &why), why);
        assert_int_equal(db_column(one, 0).i, 2);
        assert_int_equal(db_column(one, 1).i, 7);
        db_finish(one);
        db_finish(two);
    }
    run(db, "alter table t add column b");
    run(db, "delete from t");
    check_ok(db_prepare(db, &one, sql, DB_NONE, &why), why);
    check_ok(db_step(one, &row, &why), why);
    assert_false(row);
    db_finish(one);
    db_close(db);
}

static void a_writing_connection_is_durable_and_strict(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = with_rows(&lab, 0);
    assert_int_equal(number(db, "pragma synchronous"), 2); /* FULL */
    assert_int_equal(number(db, "pragma foreign_keys"), 1);
    assert_int_equal(number(db, "pragma trusted_schema"), 0);
    db_close(db);
    lab_fini(&lab);
}

static void a_reading_connection_writes_nothing(void **state)
{
    (void)state;
    struct lab lab;
    db_close(with_rows(&lab, 1));
    struct db *db = opened(&lab, DB_READ);
    check_err(db_run(db, "delete from t", DB_NONE, NULL, &why), ERR_PERMISSION);
    assert_int_equal(number(db, "select count(*) from t"), 1);
    db_close(db);
    lab_fini(&lab);
}

static void a_guarded_connection_refuses_all_but_reading(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "insert into t values (9, 'x')",
        "update t set b = 1",
        "delete from t",
        "drop table t",
        "create temp table u (a)",
        "attach database '/tmp/pitwall-attached.db' as x",
        "attach database ':memory:' as x",
        "detach database main",
        "vacuum",
        "vacuum into '/tmp/pitwall-copy.db'",
        "begin immediate",
        "pragma journal_mode = delete",
        "pragma user_version = 9",
        "pragma writable_schema = 1",
        "pragma database_list",
        "create view v as select 1",
        "create trigger g after insert on t begin select 1; end"};
    struct lab lab;
    db_close(with_rows(&lab, 1));
    struct db *db = opened(&lab, DB_GUARDED);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        enum err e = db_run(db, refused[i], DB_NONE, NULL, &why);
        if (e != ERR_USAGE)
            fail_msg("%s: %s: %s", refused[i], err_name(e), why.text);
    }
    assert_int_equal(number(db, "select count(*) from t"), 1);
    assert_int_equal(number(db, "pragma user_version"), 0);
    assert_int_equal(number(db, "select count(*) from pragma_table_info('t')"),
                     2);
    assert_int_equal(number(db, "with recursive n(i) as (select 1 union all "
                                "select i + 1 from n where i < 5) "
                                "select sum(i) from n"),
                     15);
    db_close(db);
    lab_fini(&lab);
}

static void a_guarded_statement_ends_when_its_time_is_up(void **state)
{
    (void)state;
    struct lab lab;
    db_close(with_rows(&lab, 1));
    struct db *db = opened(&lab, DB_GUARDED);
    check_err(db_run(db,
                     "with recursive n(i) as (select 1 union all select i + 1 "
                     "from n) select count(*) from n",
                     DB_NONE, NULL, &why),
              ERR_TIMEOUT);
    check_says(why, "stopped after 0.05 s");
    assert_int_equal(number(db, "select count(*) from t"), 1);
    check_err(db_run(db, "select zeroblob(100000000)", DB_NONE, NULL, &why),
              ERR_RANGE);
    db_close(db);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(db_open_names_the_file_that_is_not_there),
        cmocka_unit_test(db_open_refuses_a_folder_that_is_not_there),
        cmocka_unit_test(db_open_refuses_what_is_no_file_name),
        cmocka_unit_test(db_open_refuses_a_file_that_is_no_database),
        cmocka_unit_test(db_open_writes_no_file_that_may_only_be_read),
        cmocka_unit_test(db_open_reads_where_nothing_can_be_written),
        cmocka_unit_test(db_begin_gives_up_on_a_lock_after_busy_ms),
        cmocka_unit_test(db_end_takes_everything_back_after_a_failure),
        cmocka_unit_test(a_full_disk_is_named_and_leaves_nothing_half),
        cmocka_unit_test(values_come_back_as_they_went_in),
        cmocka_unit_test(db_run_tells_no_row_from_a_row),
        cmocka_unit_test(statements_of_the_same_text_do_not_meet),
        cmocka_unit_test(a_writing_connection_is_durable_and_strict),
        cmocka_unit_test(a_reading_connection_writes_nothing),
        cmocka_unit_test(a_guarded_connection_refuses_all_but_reading),
        cmocka_unit_test(a_guarded_statement_ends_when_its_time_is_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
