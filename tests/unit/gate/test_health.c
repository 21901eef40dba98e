#include "agent/gate/health.h"
#include "tests/lib/check.h"

#define MIB (1ull << 20)

/* A gate that had 11 descriptors and 8 MiB before anybody came, of 4096. */
static struct health_state fresh(void)
{
    return (struct health_state){.first = {11, 8 * MIB}, .files_max = 4096};
}

static enum health look(struct health_state *s, unsigned files, uint64_t mib,
                        unsigned peers, bool idle)
{
    const struct health_counts now = {files, mib * MIB};
    return health_look(s, &now, peers, idle);
}

static void known_peers_are_no_trouble(void **state)
{
    struct health_state s = fresh();
    (void)state;
    assert_int_equal(look(&s, 11, 8, 0, true), HEALTH_GOOD);
    assert_int_equal(look(&s, 11 + 200, 8, 200, true), HEALTH_GOOD);
}

static void
more_than_128_that_never_spoke_are_ended_when_that_costs_little(void **state)
{
    struct health_state s = fresh();
    (void)state;
    assert_int_equal(look(&s, 11 + 1 + 128, 8, 1, true), HEALTH_GOOD);
    assert_int_equal(look(&s, 11 + 1 + 129, 8, 1, true), HEALTH_RENEW);
    assert_int_equal(look(&s, 11, 8, 0, true), HEALTH_GOOD);
    /* a trial under way is disturbed from 1024 on */
    assert_int_equal(look(&s, 11 + 1 + 1024, 8, 1, false), HEALTH_GOOD);
    assert_int_equal(look(&s, 11 + 1 + 1025, 8, 1, false), HEALTH_RENEW);
}

static void what_listening_anew_does_not_free_is_lost(void **state)
{
    struct health_state s = fresh();
    (void)state;
    assert_int_equal(look(&s, 300, 8, 0, true), HEALTH_RENEW);
    assert_int_equal(look(&s, 300, 8, 0, true), HEALTH_END);
    s = fresh();
    assert_int_equal(look(&s, 300, 8, 0, true), HEALTH_RENEW);
    assert_int_equal(look(&s, 20, 8, 0, true), HEALTH_GOOD);
    assert_int_equal(look(&s, 300, 8, 0, true), HEALTH_RENEW);
}

static void four_fifths_of_all_descriptors_are_the_end(void **state)
{
    struct health_state s = fresh();
    (void)state;
    /* 4096 - 4096 / 5 = 3277 */
    assert_int_equal(look(&s, 3276, 8, 3265, false), HEALTH_GOOD);
    assert_int_equal(look(&s, 3277, 8, 3266, false), HEALTH_END);
}

static void memory_is_given_back_between_controllers(void **state)
{
    struct health_state s = fresh();
    (void)state;
    assert_int_equal(look(&s, 12, 8 + 64, 1, true), HEALTH_GOOD);
    assert_int_equal(look(&s, 12, 8 + 65, 1, false), HEALTH_GOOD);
    assert_int_equal(look(&s, 12, 8 + 65, 1, true), HEALTH_END);
}

static void health_count_knows_this_process(void **state)
{
    const struct health_counts now = health_count();
    (void)state;
    assert_true(now.files >= 3 && now.files < 100);
    assert_true(now.rss_bytes > MIB / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_peers_are_no_trouble),
        cmocka_unit_test(
            more_than_128_that_never_spoke_are_ended_when_that_costs_little),
        cmocka_unit_test(what_listening_anew_does_not_free_is_lost),
        cmocka_unit_test(four_fifths_of_all_descriptors_are_the_end),
        cmocka_unit_test(memory_is_given_back_between_controllers),
        cmocka_unit_test(health_count_knows_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
