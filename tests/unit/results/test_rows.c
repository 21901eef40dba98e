#include <stdio.h>

#include "results/rows.h"
#include "results/rowsum.h"
#include "tests/unit/results/lab.h"

static struct why why;

/* The tables of records and one attempt, number 1. */
static struct db *tables(struct lab *lab)
{
    struct db *db = NULL;
    lab_init(lab);
    check_ok(
        db_open(&db, lab->path, &(struct db_options){.mode = DB_WRITE}, &why),
        why);
    check_ok(db_run(db, "create table attempt (id integer primary key)",
                    DB_NONE, NULL, &why),
             why);
    check_ok(db_run(db, "insert into attempt values (1)", DB_NONE, NULL, &why),
             why);
    return db;
}

static int64_t number(struct db *db, const char *sql)
{
    int64_t n = -1;
    check_ok(db_run(db, sql, DB_NONE, &n, &why), why);
    return n;
}

static void every_field_of_every_list_is_a_column(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = tables(&lab);
    check_ok(rows_create(db, &why), why);
    for (unsigned k = 0; k < RECORD_KIND_LAST; k++) {
        size_t n_fields = 0;
        const struct wire_field *fields =
            record_fields((enum record_kind)k, &n_fields);
        for (size_t i = 0; i < n_fields && k != RECORD_IS_hist; i++) {
            char sql[300];
            (void)snprintf(sql, sizeof sql,
                           "select pk > 0 from pragma_table_info('%s') "
                           "where name = '%s'",
                           record_name((enum record_kind)k), fields[i].name);
            assert_int_equal(number(db, sql), fields[i].need == WIRE_KEY);
        }
    }
    /* And nothing else but attempt and crc. */
    size_t n = 0;
    (void)record_fields(RECORD_IS_sample_load, &n);
    assert_int_equal(
        number(db, "select count(*) from pragma_table_info('sample_load')"),
        n + 2);
    assert_int_equal(number(db, "select count(*) from sqlite_master where "
                                "type = 'table' and sql like "
                                "'%without rowid'"),
                     RECORD_KIND_LAST - 1);
    db_close(db);
    lab_fini(&lab);
}

static void rows_add_stores_a_row_with_its_checksum(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = tables(&lab);
    struct rows *rows = NULL;
    struct db_stmt *stmt = NULL;
    bool row = false;
    check_ok(rows_create(db, &why), why);
    check_ok(rows_open(&rows, db, &why), why);
    struct record r = {.kind = RECORD_IS_sample_tcp,
                       .as.sample_tcp = {.second = -2,
                                         .side = "load",
                                         .segs_in = 5,
                                         .rtt_ns = 0,
                                         .cwnd = 10}};
    check_ok(rows_add(rows, 1, &r, &why), why);
    check_ok(db_prepare(db, &stmt, "select * from sample_tcp", DB_NONE, &why),
             why);
    check_ok(db_step(stmt, &row, &why), why);
    assert_true(row);
    check_ok(rowsum_check(stmt, "sample_tcp", &why), why);
    db_finish(stmt);
    assert_int_equal(number(db, "select second from sample_tcp"), -2);
    assert_int_equal(number(db, "select cwnd from sample_tcp"), 10);
    /* Absent and zero are the same on the wire: nothing is claimed. */
    assert_int_equal(number(db, "select rtt_ns is null from sample_tcp"), 1);
    assert_int_equal(number(db, "select segs_out from sample_tcp"), 0);
    rows_close(rows);
    db_close(db);
    lab_fini(&lab);
}

static void rows_add_keeps_the_first_row_of_a_key(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = tables(&lab);
    struct rows *rows = NULL;
    check_ok(rows_create(db, &why), why);
    check_ok(rows_open(&rows, db, &why), why);
    struct record r = {.kind = RECORD_IS_fact,
                       .as.fact = {.side = "load", .name = "a", .value = "1"}};
    check_ok(rows_add(rows, 1, &r, &why), why);
    r.as.fact.value[0] = '2';
    check_err(rows_add(rows, 1, &r, &why), ERR_EXISTS);
    assert_int_equal(number(db, "select count(*) from fact where value = '1'"),
                     1);
    r.as.fact.name[0] = 'b';
    check_ok(rows_add(rows, 1, &r, &why), why);
    rows_close(rows);
    db_close(db);
    lab_fini(&lab);
}

static void rows_add_refuses_a_number_that_sqlite_cannot_hold(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = tables(&lab);
    struct rows *rows = NULL;
    check_ok(rows_create(db, &why), why);
    check_ok(rows_open(&rows, db, &why), why);
    struct record r = {.kind = RECORD_IS_sample_disk,
                       .as.sample_disk = {.side = "load",
                                          .device = "sda",
                                          .busy_ns = INT64_MAX}};
    check_ok(rows_add(rows, 1, &r, &why), why);
    r.as.sample_disk.second = 1;
    r.as.sample_disk.busy_ns = (uint64_t)INT64_MAX + 1;
    check_err(rows_add(rows, 1, &r, &why), ERR_RANGE);
    check_says(why, "sample_disk: busy_ns: 9223372036854775808 is too large");
    assert_int_equal(number(db, "select count(*) from sample_disk"), 1);
    rows_close(rows);
    db_close(db);
    lab_fini(&lab);
}

static void rows_grow_adds_the_columns_that_a_store_lacks(void **state)
{
    (void)state;
    struct lab lab;
    struct db *db = tables(&lab);
    struct rows *rows = NULL;
    check_ok(rows_create(db, &why), why);
    check_ok(db_run(db, "drop table fact", DB_NONE, NULL, &why), why);
    check_ok(db_run(db,
                    "create table fact (attempt integer not null, side text "
                    "not null, name text not null, crc integer not null, "
                    "primary key (attempt, side, name)) without rowid",
                    DB_NONE, NULL, &why),
             why);
    check_ok(rows_grow(db, &why), why);
    check_ok(rows_grow(db, &why), why); /* nothing left to do */
    check_ok(rows_open(&rows, db, &why), why);
    struct record r = {.kind = RECORD_IS_fact,
                       .as.fact = {.side = "load", .name = "a", .value = "1"}};
    check_ok(rows_add(rows, 1, &r, &why), why);
    assert_int_equal(number(db, "select count(*) from fact where value = '1'"),
                     1);
    rows_close(rows);
    db_close(db);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_every_list_is_a_column),
        cmocka_unit_test(rows_add_stores_a_row_with_its_checksum),
        cmocka_unit_test(rows_add_keeps_the_first_row_of_a_key),
        cmocka_unit_test(rows_add_refuses_a_number_that_sqlite_cannot_hold),
        cmocka_unit_test(rows_grow_adds_the_columns_that_a_store_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
