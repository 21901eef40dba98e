#include <stdlib.h>

#include "common/rand.h"
#include "load/due.h"
#include "tests/lib/check.h"

static void due_pop_gives_lanes_in_order_of_time(void **state)
{
    (void)state;
    struct due_entry entries[4];
    struct due d = {.entries = entries, .cap = 4};
    assert_int_equal(due_first(&d), UINT64_MAX);
    due_push(&d, 30, 0);
    due_push(&d, 10, 1);
    due_push(&d, 40, 2);
    due_push(&d, 20, 3);
    assert_int_equal(due_first(&d), 10);
    assert_int_equal(due_pop(&d), 1);
    assert_int_equal(due_pop(&d), 3);
    due_push(&d, 5, 1);
    assert_int_equal(due_pop(&d), 1);
    assert_int_equal(due_pop(&d), 0);
    assert_int_equal(due_pop(&d), 2);
    assert_int_equal(due_first(&d), UINT64_MAX);
}

static void due_sorts_any_thousand_times(void **state)
{
    (void)state;
    static struct due_entry entries[1000];
    static uint64_t times[1000];
    struct due d = {.entries = entries, .cap = 1000};
    struct rand r = {5};
    for (uint32_t i = 0; i < 1000; i++) {
        times[i] = rand_bounded(&r, 300); /* with ties */
        due_push(&d, times[i], i);
    }
    uint64_t before = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t at = due_first(&d);
        uint32_t lane = due_pop(&d);
        assert_int_equal(at, times[lane]);
        assert_true(at >= before);
        before = at;
        times[lane] = UINT64_MAX; /* each once */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_pop_gives_lanes_in_order_of_time),
        cmocka_unit_test(due_sorts_any_thousand_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
