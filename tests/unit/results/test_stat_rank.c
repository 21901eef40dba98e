#include <math.h>
#include <stdlib.h>

#include "results/stat_count.h"
#include "results/stat_rank.h"
#include "results/stat_shift.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static struct why why;

static void check_rank(const struct vector *v, const struct stat_rank *r)
{
    vector_check(v, "p_two", r->p_both);
    vector_check(v, "p_less", r->p_less);
    vector_check(v, "p_greater", r->p_above);
}

static void check_shift(const struct vector *v, const struct stat_shift *s)
{
    vector_check(v, "shift", s->shift);
    vector_check(v, "lo", s->low);
    vector_check(v, "hi", s->high);
    vector_check(v, "k", (double)s->k);
    vector_check(v, "conf_achieved", s->achieved);
}

static void samples(const struct vector *v)
{
    double x[VECTOR_MAX], y[VECTOR_MAX];
    struct stat_samples s = {x, y, vector_list(v, "x", x),
                             vector_list(v, "y", y)};
    struct stat_rank r;
    check_ok(stat_rank_samples(&r, &s, &why), why);
    check_rank(v, &r);
    if (jv_get(v->want, "U"))
        vector_check(v, "U", r.statistic);
}

static void signs(const struct vector *v)
{
    double d[VECTOR_MAX];
    struct stat_rank r;
    check_ok(stat_rank_signed(&r, d, vector_list(v, "d", d), &why), why);
    check_rank(v, &r);
    vector_check(v, "V", r.statistic);
}

static void shift_of(const struct vector *v)
{
    double d[VECTOR_MAX];
    size_t n = vector_list(v, "d", d);
    struct stat_shift s;
    check_ok(stat_shift_of(&s, d, n, vector_number(v, "conf"), &why), why);
    check_shift(v, &s);
}

static void shift_between(const struct vector *v)
{
    double x[VECTOR_MAX], y[VECTOR_MAX];
    struct stat_samples in = {x, y, vector_list(v, "x", x),
                              vector_list(v, "y", y)};
    struct stat_shift s;
    check_ok(stat_shift_between(&s, &in, vector_number(v, "conf"), &why), why);
    check_shift(v, &s);
}

/* Shares of the sums of whole ranks, from first on, added up. */
static void check_cdf(const struct vector *v, const double *share, size_t first,
                      size_t n)
{
    double cdf[VECTOR_MAX];
    for (size_t i = 0; i < n; i++)
        cdf[i] = stat_count_share(share, first, first + 2 * i);
    vector_check_list(v, "cdf", cdf, n);
}

static void sign_counts(const struct vector *v)
{
    size_t n = (size_t)vector_number(v, "n"), rank2[VECTOR_MAX];
    double *share;
    for (size_t i = 0; i < n; i++)
        rank2[i] = 2 * (i + 1);
    check_ok(stat_count_signs(&share, rank2, n, &why), why);
    check_cdf(v, share, 0, n * (n + 1) / 2 + 1);
    free(share);
}

static void choice_counts(const struct vector *v)
{
    size_t m = (size_t)vector_number(v, "m"), rank2[VECTOR_MAX];
    size_t n = (size_t)vector_number(v, "n");
    double *share;
    for (size_t i = 0; i < m + n; i++)
        rank2[i] = 2 * (i + 1);
    check_ok(stat_count_choices(&share, rank2, m + n, m, &why), why);
    check_cdf(v, share, m * (m + 1), m * n + 1);
    free(share);
}

/* The least p that n values a side can give: all above. */
static void least_p(const struct vector *v)
{
    double sizes[VECTOR_MAX], x[VECTOR_MAX], y[VECTOR_MAX];
    double between[VECTOR_MAX], within[VECTOR_MAX];
    size_t n_sizes = vector_list(v, "n", sizes);
    for (size_t i = 0; i < n_sizes; i++) {
        size_t n = (size_t)sizes[i];
        struct stat_samples s = {x, y, n, n};
        struct stat_rank r;
        for (size_t k = 0; k < n; k++) {
            x[k] = 100 + (double)k;
            y[k] = (double)k;
        }
        check_ok(stat_rank_samples(&r, &s, &why), why);
        between[i] = r.p_both;
        check_ok(stat_rank_signed(&r, x, n, &why), why);
        within[i] = r.p_both;
    }
    vector_check_list(v, "mwu_nxn", between, n_sizes);
    vector_check_list(v, "signed_rank_n", within, n_sizes);
}

static void rank_sums_are_counted_as_r_does(void **state)
{
    (void)state;
    vectors_each("mwu_distribution", choice_counts);
    vectors_each("signed_rank_distribution", sign_counts);
}

static void rank_tests_are_exact_with_ties_too(void **state)
{
    (void)state;
    vectors_each("mwu_exact", samples);
    vectors_each("signed_rank_exact", signs);
    vectors_each("min_p", least_p);
}

static void shifts_are_hodges_and_lehmanns(void **state)
{
    (void)state;
    vectors_each("hl1", shift_of);
    vectors_each("hl2", shift_between);
}

static void many_values_are_judged_by_the_normal_distribution(void **state)
{
    (void)state;
    double x[51], y[51];
    struct stat_samples s = {x, y, 51, 51};
    struct stat_rank r;
    struct stat_shift shift;
    for (size_t i = 0; i < 51; i++) {
        x[i] = (double)i + 10.5;
        y[i] = (double)i;
    }
    /* U: pairs with i + 10.5 > j: 51 * 51 less the 40 * 41 / 2 = 820 with j
     * >= i + 11; (1781 - 1300.5 - 0.5) / sqrt(51 * 51 * 103 / 12). */
    check_ok(stat_rank_samples(&r, &s, &why), why);
    check_near(r.statistic, 1781, 0);
    double z = 480 / sqrt(51.0 * 51 * 103 / 12);
    check_near(r.p_both, erfc(z / sqrt(2)), 1e-15);
    /* V: all above; (1326 - 663 - 0.5) / sqrt(51 * 52 * 103 / 24). */
    check_ok(stat_rank_signed(&r, x, 51, &why), why);
    check_near(r.statistic, 1326, 0);
    z = 662.5 / sqrt(51.0 * 52 * 103 / 24);
    check_near(r.p_both, erfc(z / sqrt(2)), 1e-15);
    /* 1300.5 - 1.959964 * 149.416 = 1007.65: the 1008th of 2601. */
    check_ok(stat_shift_between(&shift, &s, 0.95, &why), why);
    check_near(shift.shift, 10.5, 0);
    assert_int_equal(shift.k, 1008);
    check_near(shift.low + shift.high, 21, 1e-12); /* as far to either side */
    check_near(shift.achieved, 0.95, 0.001);
    /* 663 - 1.959964 * 106.684 = 453.9: the 454th of 1326. */
    check_ok(stat_shift_of(&shift, x, 51, 0.95, &why), why);
    check_near(shift.shift, 35.5, 0);
    assert_int_equal(shift.k, 454);
}

static void nothing_but_zeros_is_no_difference(void **state)
{
    (void)state;
    static const double none[60];
    struct stat_samples s = {none, none, 60, 60};
    struct stat_rank r;
    check_ok(stat_rank_signed(&r, none, 60, &why), why);
    check_near(r.p_both, 1, 0);
    check_ok(stat_rank_samples(&r, &s, &why), why);
    check_near(r.p_both, 1, 0);
}

static void more_pairs_than_memory_is_given_are_refused(void **state)
{
    (void)state;
    static const double many[2001];
    struct stat_samples s = {many, many, 1, 2001};
    struct stat_shift shift;
    check_err(stat_shift_of(&shift, many, 2001, 0.95, &why), ERR_RANGE);
    check_says(why, "2001 values: at most 2000");
    check_err(stat_shift_between(&shift, &s, 0.95, &why), ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_sums_are_counted_as_r_does),
        cmocka_unit_test(rank_tests_are_exact_with_ties_too),
        cmocka_unit_test(shifts_are_hodges_and_lehmanns),
        cmocka_unit_test(many_values_are_judged_by_the_normal_distribution),
        cmocka_unit_test(nothing_but_zeros_is_no_difference),
        cmocka_unit_test(more_pairs_than_memory_is_given_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
