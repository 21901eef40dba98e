#include "agent/executor/lease.h"
#include "tests/lib/check.h"

#define S 1000000000ull

/* Held by "a" with token 7 from 100 s to 115 s. */
static struct lease held(void)
{
    struct lease l = {0};
    lease_grant(&l, "a", 7, 15 * S, 100 * S);
    return l;
}

static void lease_is_free_at_first(void **state)
{
    struct lease l = {0};
    struct why why = {0};
    (void)state;
    check_ok(lease_allows(&l, "a", S, 1, &why), why);
    check_err(lease_check(&l, 0, 1, &why), ERR_FENCED);
    assert_int_equal(lease_left_ns(&l, 1), 0);
}

static void lease_of_another_names_owner_and_time_left(void **state)
{
    struct lease l = held();
    struct why why = {0};
    (void)state;
    check_err(lease_allows(&l, "b", S, 102500000000ull, &why), ERR_HELD);
    check_says(why, "held by a for another 12.5 s");
}

static void lease_comes_back_to_its_owner(void **state)
{
    struct lease l = held();
    struct why why = {0};
    (void)state;
    check_ok(lease_allows(&l, "a", S, 101 * S, &why), why);
    lease_grant(&l, "a", 8, S, 101 * S);
    check_err(lease_check(&l, 7, 101 * S, &why), ERR_FENCED);
    check_says(why, "token 7 is not the newest (8)");
    check_ok(lease_check(&l, 8, 101 * S, &why), why);
}

static void lease_ends_with_its_time(void **state)
{
    struct lease l = held();
    struct why why = {0};
    (void)state;
    check_ok(lease_check(&l, 7, 115 * S - 1, &why), why);
    check_err(lease_check(&l, 7, 115 * S, &why), ERR_FENCED);
    check_says(why, "expired 0.0 s ago");
    check_ok(lease_allows(&l, "b", S, 115 * S, &why), why);
    assert_int_equal(lease_left_ns(&l, 115 * S - 1), 1);
    assert_int_equal(lease_left_ns(&l, 200 * S), 0);
}

static void lease_renews_from_now(void **state)
{
    struct lease l = held();
    struct why why = {0};
    (void)state;
    check_ok(lease_renew(&l, 7, 15 * S, 110 * S, &why), why);
    assert_int_equal(lease_left_ns(&l, 110 * S), 15 * S);
    check_err(lease_renew(&l, 6, 15 * S, 110 * S, &why), ERR_FENCED);
    check_err(lease_renew(&l, 8, 15 * S, 110 * S, &why), ERR_FENCED);
    check_err(lease_renew(&l, 7, 15 * S, 125 * S, &why), ERR_FENCED);
}

static void lease_released_commands_no_more(void **state)
{
    struct lease l = held();
    struct why why = {0};
    (void)state;
    lease_release(&l);
    check_err(lease_check(&l, 7, 101 * S, &why), ERR_FENCED);
    check_says(why, "no lease is held");
    check_ok(lease_allows(&l, "b", S, 101 * S, &why), why);
}

static void lease_refuses_times_and_owners_beyond_reason(void **state)
{
    struct lease l = {0};
    struct why why = {0};
    (void)state;
    check_err(lease_allows(&l, "a", 0, 1, &why), ERR_RANGE);
    check_says(why, "a lease of 0 s; accepted: 0.1 s to 30 days");
    check_err(lease_allows(&l, "a", UINT64_MAX, 1, &why), ERR_RANGE);
    check_err(lease_allows(&l, "", S, 1, &why), ERR_INVALID);
    check_err(
        lease_allows(&l, "0123456789012345678901234567890123456", S, 1, &why),
        ERR_INVALID);
    l = held();
    check_err(lease_renew(&l, 7, 0, 101 * S, &why), ERR_RANGE);
    assert_int_equal(lease_left_ns(&l, 101 * S), 14 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lease_is_free_at_first),
        cmocka_unit_test(lease_of_another_names_owner_and_time_left),
        cmocka_unit_test(lease_comes_back_to_its_owner),
        cmocka_unit_test(lease_ends_with_its_time),
        cmocka_unit_test(lease_renews_from_now),
        cmocka_unit_test(lease_released_commands_no_more),
        cmocka_unit_test(lease_refuses_times_and_owners_beyond_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
