#include <math.h>

#include "results/centre.h"
#include "results/stat_adjust.h"
#include "results/stat_best.h"
#include "results/stat_factor.h"
#include "results/stat_verdict.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static double y[VECTOR_MAX];
static size_t levels[STAT_FACTORS_MAX];
static struct stat_anova anova;

/* The vector's matrix with its values' logarithms. */
static struct stat_grid grid_of(const struct vector *v)
{
    double raw[VECTOR_MAX];
    struct stat_grid g = {.y = y, .levels = levels};
    g.n_factors = vector_list(v, "levels", raw);
    for (size_t i = 0; i < g.n_factors; i++)
        levels[i] = (size_t)raw[i];
    g.n_blocks = vector_rows(v, "y", y, &g.n_cells);
    for (size_t i = 0; i < g.n_blocks * g.n_cells; i++)
        y[i] = log(y[i]);
    return g;
}

static void check_test(const struct vector *v, const double *d, size_t n)
{
    struct stat_test test = stat_test_blocks(d, n, 0, 0);
    double half = stat_test_half(&test, 0.95);
    vector_check_list(v, "per_block", d, n);
    vector_check(v, "est", test.mean);
    vector_check(v, "sd", test.sd);
    vector_check(v, "t", test.t);
    vector_check(v, "df", test.df);
    vector_check(v, "p_two", test.p_diff);
    vector_check(v, "lo95", test.mean - half);
    vector_check(v, "hi95", test.mean + half);
    vector_check(v, "pct", 100 * expm1(test.mean));
    vector_check(v, "pct_lo95", 100 * expm1(test.mean - half));
    vector_check(v, "pct_hi95", 100 * expm1(test.mean + half));
}

static void main_effect(const struct vector *v)
{
    double d[VECTOR_MAX], failed[VECTOR_MAX];
    struct stat_grid g = grid_of(v);
    struct stat_contrast c = {(size_t)vector_number(v, "factor") - 1,
                              (size_t)vector_number(v, "level") - 1,
                              (size_t)vector_number(v, "ref") - 1,
                              STAT_NO_FACTOR,
                              0,
                              0};
    size_t n_failed = jv_get(v->in, "failed_cells")
                          ? vector_list(v, "failed_cells", failed)
                          : 0;
    for (size_t i = 0; i < n_failed; i++)
        y[2 * g.n_cells + (size_t)failed[i]] = NAN; /* in its third block */
    struct stat_matched m = stat_contrast_of(&g, &c, d);
    assert_int_equal(m.groups, g.n_cells / levels[c.factor]);
    assert_int_equal(m.used, m.groups - n_failed);
    check_test(v, d, g.n_blocks);
}

static void interaction(const struct vector *v)
{
    double d[VECTOR_MAX], factors[VECTOR_MAX], a[VECTOR_MAX], b[VECTOR_MAX];
    struct stat_grid g = grid_of(v);
    (void)vector_list(v, "factors", factors);
    (void)vector_list(v, "a", a);
    (void)vector_list(v, "b", b);
    struct stat_contrast c = {(size_t)factors[0] - 1, (size_t)a[0] - 1,
                              (size_t)a[1] - 1,       (size_t)factors[1] - 1,
                              (size_t)b[0] - 1,       (size_t)b[1] - 1};
    (void)stat_contrast_of(&g, &c, d);
    check_test(v, d, g.n_blocks);
}

/* Blocks, heap 1, rp 2, net 4, heap:rp 3, heap:net 5, rp:net 6, all 7 and the
 * residual, as R orders them. */
static void blocked_anova(const struct vector *v)
{
    static const unsigned order[] = {1, 2, 4, 3, 5, 6, 7};
    struct stat_grid g = grid_of(v);
    const struct stat_term *row[9] = {&anova.blocks};
    double df[9], ss[9], f[9], p[9], share[9];
    assert_true(stat_anova_of(&anova, &g, true));
    for (size_t i = 0; i < 7; i++)
        row[i + 1] = &anova.term[order[i] - 1];
    row[8] = &anova.residual;
    for (size_t i = 0; i < 9; i++) {
        df[i] = row[i]->df;
        ss[i] = row[i]->ss;
        f[i] = row[i]->f;
        p[i] = row[i]->p;
        share[i] = row[i]->share;
    }
    vector_check_list(v, "df", df, 9);
    vector_check_list(v, "ss", ss, 9);
    vector_check_list(v, "F", f, 8);
    vector_check_list(v, "p", p, 8);
    vector_check_list(v, "eta2", share, 9);
}

/* The list of values with their levels becomes rows of replicates. */
static void plain_anova(const struct vector *v)
{
    double a[VECTOR_MAX], b[VECTOR_MAX], raw[VECTOR_MAX];
    size_t n = vector_list(v, "y", raw), seen[VECTOR_MAX] = {0};
    assert_true(n == vector_list(v, "a", a) && n == vector_list(v, "b", b));
    levels[0] = (size_t)a[n - 1];
    levels[1] = (size_t)b[n - 1];
    struct stat_grid g = {y, 0, levels[0] * levels[1], levels, 2};
    g.n_blocks = n / g.n_cells;
    for (size_t i = 0; i < n; i++) {
        size_t cell = ((size_t)a[i] - 1) * levels[1] + (size_t)b[i] - 1;
        y[seen[cell]++ * g.n_cells + cell] = raw[i];
    }
    assert_true(stat_anova_of(&anova, &g, false));
    const struct stat_term *t = anova.term;
    vector_check(v, "ss_a", t[0].ss);
    vector_check(v, "ss_b", t[1].ss);
    vector_check(v, "ss_ab", t[2].ss);
    vector_check(v, "ss_res", anova.residual.ss);
    vector_check_list(
        v, "df", (double[]){t[0].df, t[1].df, t[2].df, anova.residual.df}, 4);
    vector_check(v, "F_a", t[0].f);
    vector_check(v, "F_b", t[1].f);
    vector_check(v, "F_ab", t[2].f);
    vector_check(v, "p_a", t[0].p);
    vector_check(v, "p_b", t[1].p);
    vector_check(v, "p_ab", t[2].p);
}

/* The centre that a table prints, of y's raw values. */
static double centre_of_column(size_t cell, size_t n_cells, size_t n_blocks)
{
    double values[VECTOR_MAX];
    for (size_t b = 0; b < n_blocks; b++)
        values[b] = y[b * n_cells + cell];
    return centre_of(values, n_blocks, true).value;
}

static void best(const struct vector *v)
{
    struct stat_field field = {.gain = y};
    bool stays[VECTOR_MAX];
    double p[VECTOR_MAX], room[VECTOR_MAX], in[VECTOR_MAX], set[VECTOR_MAX];
    size_t n_set = 0;
    field.n_blocks = vector_rows(v, "y", y, &field.n_cells);
    for (size_t i = 0; i < field.n_cells; i++)
        in[i] = centre_of_column(i, field.n_cells, field.n_blocks);
    vector_check_list(v, "gmean", in, field.n_cells);
    for (size_t i = 0; i < field.n_blocks * field.n_cells; i++)
        y[i] = log(y[i]);
    size_t top = stat_best(&field, vector_number(v, "alpha"), stays, p, room);
    for (size_t i = 0; i < field.n_cells; i++) {
        in[i] = stays[i];
        if (stays[i])
            set[n_set++] = (double)i;
    }
    vector_check_list(v, "min_p", p, field.n_cells);
    vector_check_list(v, "in_set", in, field.n_cells);
    vector_check_list(v, "set", set, n_set);
    vector_check(v, "top", (double)top);
}

/* A row of the cell table per cell but the base. */
struct table {
    struct stat_test test[VECTOR_MAX];
    double p[VECTOR_MAX], holm[VECTOR_MAX], bh[VECTOR_MAX], equal[VECTOR_MAX];
    double centre[VECTOR_MAX];
    size_t n;
};
static struct table table;

static void check_outcomes(const struct vector *v, const char *key,
                           const double *p_diff, double margin, double alpha)
{
    const struct jv *want = jv_get(v->want, key);
    assert_int_equal(jv_size(want), table.n);
    for (size_t i = 0; i < table.n; i++) {
        struct stat_verdict got =
            stat_verdict_of(&table.test[i], margin, p_diff[i], alpha);
        assert_string_equal(stat_outcome_name(got.outcome),
                            jv_text(jv_at(want, i), ""));
    }
}

static void check_changes(const struct vector *v)
{
    double change[VECTOR_MAX], low[VECTOR_MAX], high[VECTOR_MAX];
    for (size_t i = 0; i < table.n; i++) {
        const struct stat_test *t = &table.test[i];
        double half = stat_test_half(t, 0.95);
        change[i] = 100 * expm1(t->mean);
        low[i] = 100 * expm1(t->mean - half);
        high[i] = 100 * expm1(t->mean + half);
    }
    vector_check_list(v, "gmean", table.centre, table.n);
    vector_check_list(v, "pct", change, table.n);
    vector_check_list(v, "pct_lo95", low, table.n);
    vector_check_list(v, "pct_hi95", high, table.n);
    vector_check_list(v, "p", table.p, table.n);
    vector_check_list(v, "p_holm", table.holm, table.n);
    vector_check_list(v, "q_bh", table.bh, table.n);
    vector_check_list(v, "p_equiv", table.equal, table.n);
}

static void check_plans(const struct vector *v, double margin, double alpha)
{
    double blocks[VECTOR_MAX];
    size_t n_different = 0;
    for (size_t i = 0; i < table.n; i++)
        n_different += table.bh[i] <= alpha;
    double alpha_diff = stat_plan_alpha(alpha, n_different, table.n);
    vector_check(v, "plan_alpha_diff", alpha_diff);
    for (size_t i = 0; i < table.n; i++) {
        const struct stat_test *t = &table.test[i];
        struct stat_plan plan = {t->mean, t->sd,      margin,
                                 t->n,    alpha_diff, alpha};
        blocks[i] = (double)t->n;
        if (stat_verdict_of(t, margin, table.bh[i], alpha).outcome ==
            STAT_INCONCLUSIVE)
            blocks[i] = (double)stat_plan_blocks(&plan, STAT_BLOCKS_CAP);
        if (blocks[i] == 0)
            blocks[i] = -1;
    }
    vector_check_list(v, "blocks_total_needed", blocks, table.n);
}

static void cell_table(const struct vector *v)
{
    size_t n_cells, order[VECTOR_MAX], base = (size_t)vector_number(v, "base");
    size_t n_blocks = vector_rows(v, "y", y, &n_cells);
    double margin = stat_margin(vector_number(v, "margin"));
    double alpha = vector_number(v, "alpha"), d[VECTOR_MAX], widest = 0;
    vector_check(v, "gmean_base", centre_of_column(base, n_cells, n_blocks));
    table.n = 0;
    for (size_t c = 0; c < n_cells; c++) {
        if (c == base)
            continue;
        for (size_t b = 0; b < n_blocks; b++)
            d[b] = log(y[b * n_cells + c] / y[b * n_cells + base]);
        struct stat_test t = stat_test_blocks(d, n_blocks, margin, 0);
        table.test[table.n] = t;
        table.centre[table.n] = centre_of_column(c, n_cells, n_blocks);
        table.p[table.n] = t.p_diff;
        table.equal[table.n++] = t.p_equal;
        widest = fmax(widest, t.p_equal);
    }
    stat_holm(table.p, table.n, table.holm, order);
    stat_bh(table.p, table.n, table.bh, order);
    check_changes(v);
    vector_check(v, "all_equivalent_p", widest);
    check_outcomes(v, "verdict_bh", table.bh, margin, alpha);
    check_outcomes(v, "verdict_holm", table.holm, margin, alpha);
    check_plans(v, margin, alpha);
}

static void effects_are_contrasts_of_the_blocks(void **state)
{
    (void)state;
    vectors_each("block_contrast_main", main_effect);
    vectors_each("block_contrast_interaction", interaction);
}

static void a_simple_effect_is_that_at_one_level(void **state)
{
    (void)state;
    /* 2 x 2, last factor fastest: at its level 1, cells 3 less 1. */
    static const double cells[] = {1, 2, 4, 8, 1, 3, 4, 16};
    static const size_t two[] = {2, 2};
    struct stat_grid g = {cells, 2, 4, two, 2};
    struct stat_contrast c = {0, 1, 0, 1, 1, STAT_NO_FACTOR};
    double d[2];
    struct stat_matched m = stat_contrast_of(&g, &c, d);
    check_near(d[0], 6, 0);
    check_near(d[1], 13, 0);
    assert_int_equal(m.used, 1);
    c.by_reference = 0; /* less that at level 0, 4 - 1 */
    (void)stat_contrast_of(&g, &c, d);
    check_near(d[0], 3, 0);
    check_near(d[1], 10, 0);
}

static void the_analysis_of_variance_is_that_of_r(void **state)
{
    (void)state;
    vectors_each("anova_rcbd", blocked_anova);
    vectors_each("anova2", plain_anova);
}

static void a_missing_value_takes_its_groups_out(void **state)
{
    (void)state;
    double cells[] = {1, NAN, 3, 5};
    static const size_t two[] = {2};
    struct stat_grid g = {cells, 2, 2, two, 1};
    struct stat_contrast c = {0, 1, 0, STAT_NO_FACTOR, 0, 0};
    double d[2];
    struct stat_matched m = stat_contrast_of(&g, &c, d);
    assert_int_equal(m.used, 0);
    assert_int_equal(m.groups, 1);
    assert_true(isnan(d[0]) && isnan(d[1]));
    assert_false(stat_anova_of(&anova, &g, true));
}

static void the_best_set_keeps_what_nothing_beats(void **state)
{
    (void)state;
    vectors_each("best_set", best);
}

static void a_cell_that_failed_is_never_best(void **state)
{
    (void)state;
    static const double gain[] = {1, 9, 2, 1, NAN, 2};
    struct stat_field field = {gain, 2, 3};
    bool stays[3];
    double p[3], room[2];
    assert_int_equal(stat_best(&field, 0.05, stays, p, room), 2);
    /* Always the same lead: beaten for certain. */
    assert_false(stays[0]);
    assert_false(stays[1]);
    assert_true(stays[2]);
    field.n_blocks = 1;
    assert_int_equal(stat_best(&field, 0.05, stays, p, room), 3);
}

static void the_cell_table_is_that_of_the_design(void **state)
{
    (void)state;
    vectors_each("matrix_verdicts", cell_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_are_contrasts_of_the_blocks),
        cmocka_unit_test(a_simple_effect_is_that_at_one_level),
        cmocka_unit_test(the_analysis_of_variance_is_that_of_r),
        cmocka_unit_test(a_missing_value_takes_its_groups_out),
        cmocka_unit_test(the_best_set_keeps_what_nothing_beats),
        cmocka_unit_test(a_cell_that_failed_is_never_best),
        cmocka_unit_test(the_cell_table_is_that_of_the_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
