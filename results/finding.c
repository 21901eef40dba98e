#include "results/finding.h"

#include <math.h>
#include <stdlib.h>

#include "results/stat_adjust.h"
#include "results/stat_trend.h"

#define RANK_BLOCKS_MIN 6u   /* fewer cannot reach 5 % */
#define RANK_BLOCKS_MAX 300u /* 45,000 pairs: a row in a few milliseconds */
#define TREND_ALPHA     0.01
#define POWER_CAP_TIMES 2u /* looked this far where the cap is passed */

static bool all_zero(const double *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (d[i] != 0)
            return false;
    return n > 0;
}

/* Whether the differences keep still, block after block. */
static void look_along(struct finding *f, const double *d, size_t n)
{
    double *at = calloc(n + 1, sizeof *at);
    f->trend_p = NAN;
    for (size_t i = 0; at && i < n; i++)
        at[i] = (double)i;
    if (at)
        f->trend_p = stat_trend_of(at, d, n).p;
    (void)stat_trend_lag(d, n, &f->narrow);
    free(at);
}

enum err finding_blocks(struct finding *out, const struct finding_rule *rule,
                        const double *d, size_t n, struct why *why)
{
    struct stat_rank rank;
    *out = (struct finding){.rule = *rule,
                            .paired = true,
                            .equal = all_zero(d, n),
                            .p_rank = NAN,
                            .test = stat_test_blocks(d, n, rule->margin, 0)};
    look_along(out, d, n);
    if (n < RANK_BLOCKS_MIN || n > RANK_BLOCKS_MAX)
        return ERR_OK;
    enum err e = stat_rank_signed(&rank, d, n, why);
    if (!e)
        e = stat_shift_of(&out->shift, d, n, rule->confidence, why);
    out->ranked = !e;
    out->p_rank = e ? NAN : rank.p_both;
    return e;
}

/* The shift of gains: mirrored where lower is better. */
static void mirror(struct stat_shift *s)
{
    *s = (struct stat_shift){-s->shift, -s->high, -s->low, s->k, s->achieved};
}

enum err finding_samples(struct finding *out, const struct finding_rule *rule,
                         const struct stat_samples *s, struct why *why)
{
    struct stat_rank rank;
    size_t n = s->n_x < s->n_y ? s->n_x : s->n_y;
    *out = (struct finding){
        .rule = *rule, .p_rank = NAN, .test = stat_test_blocks(NULL, 0, 0, 0)};
    out->test.n = n;
    if (n < 2)
        return ERR_OK;
    out->test = rule->sign < 0
                    ? stat_test_welch(s->y, s->n_y, s->x, s->n_x, rule->margin)
                    : stat_test_welch(s->x, s->n_x, s->y, s->n_y, rule->margin);
    out->equal = out->test.mean == 0 && out->test.se == 0;
    if (n < STAT_BLOCKS_MIN || s->n_x > RANK_BLOCKS_MAX ||
        s->n_y > RANK_BLOCKS_MAX)
        return ERR_OK;
    enum err e = stat_rank_samples(&rank, s, why);
    if (!e)
        e = stat_shift_between(&out->shift, s, rule->confidence, why);
    if (!e && rule->sign < 0)
        mirror(&out->shift);
    out->ranked = !e;
    out->p_rank = e ? NAN : rank.p_both;
    return e;
}

/* How many more blocks; a row that differs leaves the others more of alpha. */
static void plan_more(struct finding *f, size_t n_different, size_t n_rows)
{
    const struct stat_plan plan = {
        .mean = f->test.mean,
        .sd = f->test.sd,
        .margin = f->rule.margin,
        .n = f->test.n,
        .alpha_diff = stat_plan_alpha(f->rule.alpha, n_different, n_rows),
        .alpha_equal = f->rule.alpha};
    f->cap = STAT_BLOCKS_CAP;
    if (f->cap < POWER_CAP_TIMES * f->test.n)
        f->cap = POWER_CAP_TIMES * f->test.n;
    size_t blocks = stat_plan_blocks(&plan, f->cap);
    /* These very blocks would have told it four times in five: one more. */
    if (blocks && blocks == f->test.n)
        blocks++;
    f->more = blocks ? blocks - f->test.n : 0;
}

static void judge(struct finding *f)
{
    if (f->rule.exact) {
        f->verdict = (struct stat_verdict){
            .outcome = f->equal ? STAT_EQUIVALENT : STAT_NO_VERDICT};
        return;
    }
    f->verdict =
        stat_verdict_of(&f->test, f->rule.margin, f->p_adjusted, f->rule.alpha);
    if (f->equal && f->test.n >= STAT_BLOCKS_MIN)
        f->verdict = (struct stat_verdict){.outcome = STAT_EQUIVALENT};
}

enum err finding_family(struct finding *family, size_t n,
                        enum finding_adjust adjust, struct why *why)
{
    double *p = calloc(2 * n + 1, sizeof *p);
    size_t *at = calloc(2 * n + 1, sizeof *at), known = 0, different = 0;
    enum err e = p && at ? ERR_OK : err_set(why, ERR_NOMEM, "compare");
    for (size_t i = 0; !e && i < n; i++) {
        family[i].p_adjusted = NAN;
        if (family[i].rule.exact || isnan(family[i].test.p_diff))
            continue;
        at[known] = i;
        p[known++] = family[i].test.p_diff;
    }
    if (!e && adjust == FINDING_HOLM)
        stat_holm(p, known, p + n, at + n);
    else if (!e)
        stat_bh(p, known, p + n, at + n);
    for (size_t i = 0; !e && i < known; i++) {
        family[at[i]].p_adjusted = p[n + i];
        different += p[n + i] <= family[at[i]].rule.alpha;
    }
    for (size_t i = 0; !e && i < n; i++) {
        judge(&family[i]);
        if (family[i].paired && family[i].verdict.outcome == STAT_INCONCLUSIVE)
            plan_more(&family[i], different, known);
    }
    free(p);
    free(at);
    return e;
}

struct finding_change finding_change(const struct finding *f)
{
    double half = f->test.n < 2 || isnan(f->test.se)
                      ? NAN
                      : stat_test_half(&f->test, f->rule.confidence);
    double mean = f->rule.sign * f->test.mean;
    struct finding_change c = {mean, mean - half, mean + half};
    if (f->rule.ratio)
        c = (struct finding_change){expm1(c.change), expm1(c.low),
                                    expm1(c.high)};
    return c;
}

bool finding_marked(const struct finding *f, enum finding_mark mark)
{
    if (f->test.n < STAT_BLOCKS_MIN || f->equal || f->rule.exact)
        return false;
    bool differs = f->p_adjusted <= f->rule.alpha;
    if (mark == FINDING_UNSTEADY)
        return f->unsteady;
    if (mark == FINDING_FEW)
        return f->test.n < 5;
    if (mark == FINDING_LONE)
        return f->test.p_diff <= f->rule.alpha && !differs;
    if (mark == FINDING_CHANGES)
        return f->paired && f->trend_p < TREND_ALPHA;
    if (mark == FINDING_NARROW)
        return f->paired && f->narrow;
    /* Both unadjusted: alike in what they are asked. */
    return f->ranked && f->shift.achieved >= f->rule.confidence &&
           (f->test.p_diff <= f->rule.alpha) != (f->p_rank <= f->rule.alpha);
}
