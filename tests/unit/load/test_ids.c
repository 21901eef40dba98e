#include <stdlib.h>

#include "load/ids.h"
#include "tests/lib/check.h"

static void ids_come_in_order(void **state)
{
    (void)state;
    const struct plan_task task = {.conflicts = PLAN_CONFLICTS_SEQUENTIAL};
    struct ids ids;
    struct why why = {0};
    bool again;
    check_ok(ids_init(&ids, &task, 250, 100, &why), why);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(ids_next(&ids, &again), 250 + i);
        assert_false(again);
    }
    ids_fini(&ids);
}

static void ids_at_random_are_each_given_once(void **state)
{
    (void)state;
    const struct plan_task task = {.conflicts = PLAN_CONFLICTS_RANDOM};
    struct ids ids;
    struct why why = {0};
    bool again, seen[1000] = {false};
    unsigned in_order = 0;
    check_ok(ids_init(&ids, &task, 7000, 1000, &why), why);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t id = ids_next(&ids, &again);
        assert_in_range(id, 7000, 7999);
        assert_false(seen[id - 7000]);
        seen[id - 7000] = true;
        in_order += id == 7000 + i;
    }
    assert_true(in_order < 20); /* one is expected */
    ids_fini(&ids);
}

/* The share that was given before, and how far back it lies in the mean. */
static void conflicts(double probability, double recency, double *share,
                      double *back)
{
    const struct plan_task task = {.conflicts = PLAN_CONFLICTS_SEQUENTIAL,
                                   .conflict_probability = probability,
                                   .recency = recency};
    struct ids ids;
    struct why why = {0};
    unsigned n = 0;
    *back = 0;
    check_ok(ids_init(&ids, &task, 0, 100000, &why), why);
    for (int i = 0; i < 100000; i++) {
        bool again;
        uint64_t given = ids.given, id = ids_next(&ids, &again);
        if (!again) {
            assert_int_equal(id, given);
            continue;
        }
        assert_true(id < given);
        n++;
        *back += (double)(given - 1 - id) / (double)given;
    }
    *share = n / 1e5;
    *back /= n;
    ids_fini(&ids);
}

static void ids_are_given_again_as_often_as_asked(void **state)
{
    (void)state;
    double share, back;
    conflicts(0.25, 0, &share, &back);
    check_near(share, 0.25, 0.006); /* 4 sigma */
    check_near(back, 0.5, 0.01);    /* any of them: half back */
    conflicts(1, 0.5, &share, &back);
    check_near(share, 1, 0.0001); /* all but the first */
    conflicts(0.5, 0.5, &share, &back);
    check_near(share, 0.5, 0.007);
    check_near(back, 1 / 15.0, 0.003); /* 1 / (30 * 0.5) */
    conflicts(0.5, 1, &share, &back);
    check_near(back, 1 / 30.0, 0.003);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_in_order),
        cmocka_unit_test(ids_at_random_are_each_given_once),
        cmocka_unit_test(ids_are_given_again_as_often_as_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
