#include "results/stat_beta.h"
#include "results/stat_dist.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

/* The lists of one vector: f of each element of the input's key is what the
 * vector expects under the other. */
static void each(const struct vector *v, const char *key, const char *want,
                 double (*f)(const struct vector *v, double x))
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, key, x);
    for (size_t i = 0; i < n; i++)
        x[i] = f(v, x[i]);
    vector_check_list(v, want, x, n);
}

static double beta(const struct vector *v, double x)
{
    return stat_beta(x, vector_number(v, "a"), vector_number(v, "b"));
}

static double t_both(const struct vector *v, double t)
{
    return stat_t_both(t, vector_number(v, "df"));
}

static double t_quantile(const struct vector *v, double p)
{
    return stat_t_quantile(p, vector_number(v, "df"));
}

static double f_upper(const struct vector *v, double f)
{
    return stat_f_upper(f, vector_number(v, "df1"), vector_number(v, "df2"));
}

static double normal(const struct vector *v, double z)
{
    (void)v;
    return stat_normal(z);
}

static double normal_quantile(const struct vector *v, double p)
{
    (void)v;
    return stat_normal_quantile(p);
}

static double binomial(const struct vector *v, double k)
{
    return stat_binomial((long)k, (size_t)vector_number(v, "n"),
                         vector_number(v, "p"));
}

static void beta_vector(const struct vector *v)
{
    each(v, "x", "I", beta);
}

static void t_both_vector(const struct vector *v)
{
    each(v, "t", "p", t_both);
}

static void t_quantile_vector(const struct vector *v)
{
    each(v, "p", "q", t_quantile);
}

static void f_upper_vector(const struct vector *v)
{
    each(v, "f", "p", f_upper);
}

static void normal_vector(const struct vector *v)
{
    each(v, "z", "p", normal);
}

static void normal_quantile_vector(const struct vector *v)
{
    each(v, "p", "q", normal_quantile);
}

static void binomial_vector(const struct vector *v)
{
    each(v, "k", "cdf", binomial);
}

static void the_distributions_are_those_of_r(void **state)
{
    (void)state;
    vectors_each("incomplete_beta", beta_vector);
    vectors_each("t_two_sided_p", t_both_vector);
    vectors_each("t_quantile", t_quantile_vector);
    vectors_each("f_upper_p", f_upper_vector);
    vectors_each("normal_cdf", normal_vector);
    vectors_each("normal_quantile", normal_quantile_vector);
    vectors_each("binom_cdf", binomial_vector);
}

static void tails_far_out_keep_their_digits(void **state)
{
    (void)state;
    /* R: 2 * pt(-40, 30), 2 * pt(-40, 500), pf(60, 4, 68, lower = FALSE) */
    check_near(stat_t_both(40, 30) / 1.37260451944064e-27, 1, 1e-6);
    check_near(stat_t_both(40, 500) / 6.29064291825796e-158, 1, 1e-6);
    check_near(stat_f_upper(60, 4, 68) / 1.36084544459686e-21, 1, 1e-6);
    /* A contrast without spread. */
    check_near(stat_t_both(1.0 / 0.0, 4), 0, 0);
    check_near(stat_t_upper(-1.0 / 0.0, 4), 1, 0);
    check_near(stat_f_upper(1.0 / 0.0, 2, 8), 0, 0);
    /* One degree of freedom: 1/2 + atan(1)/pi = 3/4 lies below 1. */
    check_near(stat_t_upper(1, 1), 0.25, 1e-15);
    check_near(stat_t_quantile(0.25, 1), -1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distributions_are_those_of_r),
        cmocka_unit_test(tails_far_out_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
