#include <stdatomic.h>

#include "tests/bench/fidelity/team.h"
#include "tests/lib/check.h"

#define PIECES 100u

struct sheet {
    atomic_uint worked[PIECES];
    size_t taken, fails_at;
};

static enum err work(void *ctx, size_t i, struct why *why)
{
    struct sheet *s = ctx;
    atomic_fetch_add(&s->worked[i], 1);
    return i == s->fails_at ? err_set(why, ERR_IO, "piece %zu", i) : ERR_OK;
}

static void take(void *ctx, size_t i)
{
    struct sheet *s = ctx;
    assert_int_equal(i, s->taken);
    assert_int_equal(atomic_load(&s->worked[i]), 1);
    s->taken++;
}

static void team_run_does_each_piece_once_and_takes_them_in_order(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct sheet sheet = {.fails_at = PIECES};
        struct why why = {0};
        check_ok(team_run(PIECES, threads, work, take, &sheet, &why), why);
        assert_int_equal(sheet.taken, PIECES);
    }
}

static void team_run_ends_with_the_first_failure(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct sheet sheet = {.fails_at = 40};
        struct why why = {0};
        check_err(team_run(PIECES, threads, work, take, &sheet, &why), ERR_IO);
        assert_string_equal(why.text, "piece 40");
        assert_int_equal(sheet.taken, 40);
    }
}

static void team_run_of_nothing_is_done(void **state)
{
    (void)state;
    struct sheet sheet = {.fails_at = 0};
    struct why why = {0};
    check_ok(team_run(0, 4, work, take, &sheet, &why), why);
    assert_int_equal(sheet.taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(team_run_does_each_piece_once_and_takes_them_in_order),
        cmocka_unit_test(team_run_ends_with_the_first_failure),
        cmocka_unit_test(team_run_of_nothing_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
