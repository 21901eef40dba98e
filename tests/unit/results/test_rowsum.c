#include "results/rowsum.h"
#include "tests/unit/results/lab.h"

static const struct db_value seven = {.type = DB_INT, .i = 7};

static void rowsum_does_not_depend_on_the_order_of_columns(void **state)
{
    (void)state;
    struct db_value text = DB_T("x");
    uint32_t ab = rowsum_add(rowsum_add(0, "a", &seven), "b", &text);
    uint32_t ba = rowsum_add(rowsum_add(0, "b", &text), "a", &seven);
    assert_int_equal(ab, ba);
}

static void rowsum_tells_values_columns_and_types_apart(void **state)
{
    (void)state;
    struct db_value eight = DB_I(8), real = DB_F(7), text = DB_T("7");
    struct db_value blob = DB_B("7", 1), two = DB_T("77");
    const struct db_value *const all[] = {&seven, &eight, &real,
                                          &text,  &blob,  &two};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(rowsum_add(0, "a", all[i]),
                                 rowsum_add(0, "a", all[j]));
    assert_int_not_equal(rowsum_add(0, "a", &seven),
                         rowsum_add(0, "b", &seven));
    /* Two values that change places are seen as well. */
    assert_int_not_equal(rowsum_add(rowsum_add(0, "a", &seven), "b", &eight),
                         rowsum_add(rowsum_add(0, "a", &eight), "b", &seven));
}

static void rowsum_passes_over_null_and_the_sign_of_zero(void **state)
{
    (void)state;
    struct db_value null = {.type = DB_NULL}, plus = DB_F(0.0);
    struct db_value minus = DB_F(-0.0);
    assert_int_equal(rowsum_add(12, "a", &null), 12);
    assert_int_equal(rowsum_add(0, "a", &plus), rowsum_add(0, "a", &minus));
}

static enum err check(const char *sql, struct why *why)
{
    struct lab lab;
    struct db *db = NULL;
    struct db_stmt *stmt = NULL;
    bool row = false;
    lab_init(&lab);
    check_ok(
        db_open(&db, lab.path, &(struct db_options){.mode = DB_WRITE}, why),
        *why);
    struct db_value text = DB_T("x");
    uint32_t sum = rowsum_add(rowsum_add(0, "id", &seven), "name", &text);
    check_ok(db_prepare(db, &stmt, sql, DB_VALUES(DB_I(sum)), why), *why);
    check_ok(db_step(stmt, &row, why), *why);
    enum err e = rowsum_check(stmt, "things", why);
    db_finish(stmt);
    db_close(db);
    lab_fini(&lab);
    return e;
}

static void rowsum_check_compares_the_columns_before_crc(void **state)
{
    (void)state;
    struct why why = {0};
    check_ok(check("select 7 as id, 'x' as name, ? as crc, 9 as more", &why),
             why);
    check_ok(
        check("select 'x' as name, null as since, 7 as id, ? as crc", &why),
        why);
    check_err(check("select 7 as id, 'y' as name, ? as crc", &why),
              ERR_CORRUPT);
    check_says(why, "things id=7 name=y: the row does not match");
    check_err(check("select 7 as id, 'x' as name, ? + 1 as crc", &why),
              ERR_CORRUPT);
    check_err(check("select 7 as id, 'x' as name, ? as sum", &why),
              ERR_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsum_does_not_depend_on_the_order_of_columns),
        cmocka_unit_test(rowsum_tells_values_columns_and_types_apart),
        cmocka_unit_test(rowsum_passes_over_null_and_the_sign_of_zero),
        cmocka_unit_test(rowsum_check_compares_the_columns_before_crc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
