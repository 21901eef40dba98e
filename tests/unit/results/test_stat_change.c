#include <math.h>

#include "results/stat_change.h"
#include "results/stat_look.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static void split(const struct vector *v)
{
    double x[VECTOR_MAX], q[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    size_t segment = (size_t)vector_number(v, "min_seg");
    struct stat_split s = stat_split_of(x, n, segment, q);
    vector_check(v, "q_max", s.q);
    vector_check(v, "index", (double)s.at);
    vector_check_list(v, "q", q, n + 1 - 2 * segment);
}

static void permuted(const struct vector *v)
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    size_t segment = (size_t)vector_number(v, "min_seg");
    struct stat_split s = stat_split_of(x, n, segment, NULL);
    struct rand rand = {1};
    vector_check(v, "q_max", s.q);
    vector_check(v, "index", (double)s.at);
    vector_check(v, "p_all_permutations", stat_split_p(x, n, segment, &rand));
}

static void the_split_is_where_the_energy_is_largest(void **state)
{
    (void)state;
    vectors_each("energy_split", split);
    vectors_each("energy_split_pvalue", permuted);
}

/* The history of vector edivisive-step: about 1198, from the 13th on 1164. */
static void step(const struct vector *v)
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    struct stat_change found[STAT_HISTORY_MAX / STAT_SEGMENT_MIN];
    size_t n_found = stat_changes(x, n, 0.02, 42, found);
    if (strcmp(v->id, "edivisive-last-spike") == 0) {
        assert_int_equal(n_found, 0); /* one outlier is no change */
        return;
    }
    assert_int_equal(n_found, 1);
    assert_int_equal(found[0].at, 12);
    check_near(found[0].p, 0.001, 0); /* no shuffle of 999 did it */
    /* 1162.5 over (1197.7 + 1200.2) / 2 */
    check_near(found[0].ratio, 1162.5 / 1198.95, 1e-12);
    check_near(found[0].overlap, 0, 0);
    /* Smaller than what matters. */
    assert_int_equal(stat_changes(x, n, 0.05, 42, found), 0);
    /* The same from the same seed, and too short a history is left alone. */
    assert_int_equal(stat_changes(x, n, 0.02, 42, found), 1);
    assert_int_equal(stat_changes(x + 8, 9, 0.02, 42, found), 0);
}

static void a_step_is_a_change_and_a_spike_is_none(void **state)
{
    (void)state;
    vectors_each("energy_split", step);
}

static void several_changes_come_in_order(void **state)
{
    (void)state;
    static const double level[] = {100, 120, 90, 150};
    double x[48];
    struct stat_change found[STAT_HISTORY_MAX / STAT_SEGMENT_MIN];
    for (size_t i = 0; i < 48; i++)
        x[i] = level[i / 12] + (double)(i * 7 % 5) / 5;
    assert_int_equal(stat_changes(x, 48, 0.02, 1, found), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(found[i].at, 12 * (i + 1));
    check_near(found[0].overlap, 1, 0);
    check_near(found[1].overlap, 0, 0);
    assert_int_equal(stat_changes(x, 0, 0.02, 1, found), 0);
}

static void looks_spend_alpha_and_no_more(void **state)
{
    (void)state;
    check_near(stat_look_alpha(0.05, 1, 1), 0.05, 1e-15);
    check_near(stat_look_alpha(0.05, 1, 3), 0.005, 1e-15);
    check_near(stat_look_alpha(0.05, 2, 3), 0.015, 1e-15);
    check_near(stat_look_alpha(0.05, 3, 3), 0.03, 1e-15);
    double sum = 0;
    for (size_t i = 1; i <= 5; i++)
        sum += stat_look_alpha(0.05, i, 5);
    check_near(sum, 0.05, 1e-15);
}

static void a_width_is_reached_at_two_blocks_running(void **state)
{
    (void)state;
    static const double wide[] = {0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1};
    double d[] = {0.01, -0.01, 0.01, -0.01, 0.01, -0.01, 0.01};
    /* Seven: sd 0.0106904, t(0.985, 6) = 2.8289: half 0.0114. Six: sd
     * 0.0109545, t(0.985, 5) = 3.0029: half 0.0134. */
    assert_true(stat_width_reached(d, 7, 0.02));
    assert_false(stat_width_reached(d, 7, 0.012)); /* the block before */
    assert_false(stat_width_reached(d, 6, 0.02));  /* five before are few */
    assert_false(stat_width_reached(wide, 7, 0.02));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_split_is_where_the_energy_is_largest),
        cmocka_unit_test(a_step_is_a_change_and_a_spike_is_none),
        cmocka_unit_test(several_changes_come_in_order),
        cmocka_unit_test(looks_spend_alpha_and_no_more),
        cmocka_unit_test(a_width_is_reached_at_two_blocks_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
