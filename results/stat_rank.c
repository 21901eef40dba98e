#include "results/stat_rank.h"

#include <math.h>
#include <stdlib.h>

#include "results/stat_count.h"
#include "results/stat_dist.h"

struct ranked {
    double value;
    size_t from; /* where it was before sorting */
};

/* Values ranked together. */
struct ranking {
    struct ranked *sorted;
    size_t *rank2; /* [n], twice the mid-rank of each */
    size_t n;
    double ties; /* sum of t^3 - t over the groups of t equals */
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value;
    double y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

static enum err ranking_init(struct ranking *r, size_t n_max, struct why *why)
{
    *r = (struct ranking){.sorted = calloc(n_max + 1, sizeof *r->sorted),
                          .rank2 = calloc(n_max + 1, sizeof *r->rank2)};
    if (!r->sorted || !r->rank2)
        return err_set(why, ERR_NOMEM, "rank %zu values", n_max);
    return ERR_OK;
}

static void ranking_fini(struct ranking *r)
{
    free(r->sorted);
    free(r->rank2);
}

static void ranking_add(struct ranking *r, double value)
{
    r->sorted[r->n] = (struct ranked){value, r->n};
    r->n++;
}

static void ranking_close(struct ranking *r)
{
    qsort(r->sorted, r->n, sizeof *r->sorted, by_value);
    for (size_t i = 0, end; i < r->n; i = end) {
        double t;
        for (end = i + 1;
             end < r->n && r->sorted[end].value == r->sorted[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            r->rank2[r->sorted[k].from] = i + end + 1;
        t = (double)(end - i);
        r->ties += t * t * t - t;
    }
}

static size_t rank_sum(const struct ranking *r)
{
    return r->n * (r->n + 1); /* doubled; ties do not change it */
}

static void both(struct stat_rank *out)
{
    out->p_both = fmin(1, 2 * fmin(out->p_less, out->p_above));
}

static void exact(struct stat_rank *out, const double *share, size_t sum2,
                  size_t top)
{
    out->p_less = stat_count_share(share, 0, sum2);
    out->p_above = stat_count_share(share, sum2, top);
}

/* excess: statistic less its mean. */
static void approximate(struct stat_rank *out, double excess, double variance)
{
    double sd = sqrt(variance);
    if (!(sd > 0))
        return; /* all equal */
    out->p_less = stat_normal((excess + 0.5) / sd);
    out->p_above = stat_normal((0.5 - excess) / sd);
}

enum err stat_rank_signed(struct stat_rank *out, const double *d, size_t n,
                          struct why *why)
{
    struct ranking r;
    double *share = NULL;
    size_t sum2 = 0, k = 0;
    *out = (struct stat_rank){.p_less = 1, .p_above = 1};
    enum err e = ranking_init(&r, n, why);
    if (e)
        goto out;
    for (size_t i = 0; i < n; i++)
        if (d[i] != 0)
            ranking_add(&r, fabs(d[i]));
    ranking_close(&r);
    for (size_t i = 0; i < n; i++) {
        sum2 += d[i] > 0 ? r.rank2[k] : 0;
        k += d[i] != 0;
    }
    out->statistic = (double)sum2 / 2;
    if (r.n <= STAT_RANK_EXACT) {
        e = stat_count_signs(&share, r.rank2, r.n, why);
        if (e)
            goto out;
        exact(out, share, sum2, rank_sum(&r));
    } else {
        double m = (double)r.n;
        approximate(out, out->statistic - m * (m + 1) / 4,
                    m * (m + 1) * (2 * m + 1) / 24 - r.ties / 48);
    }
    both(out);
out:
    free(share);
    ranking_fini(&r);
    return e;
}

enum err stat_rank_samples(struct stat_rank *out,
                           const struct stat_samples *samples, struct why *why)
{
    size_t m = samples->n_x, n = samples->n_y, sum2 = 0;
    struct ranking r;
    double *share = NULL;
    *out = (struct stat_rank){.p_less = 1, .p_above = 1};
    enum err e = ranking_init(&r, m + n, why);
    if (e)
        goto out;
    for (size_t i = 0; i < m; i++)
        ranking_add(&r, samples->x[i]);
    for (size_t i = 0; i < n; i++)
        ranking_add(&r, samples->y[i]);
    ranking_close(&r);
    for (size_t i = 0; i < m; i++)
        sum2 += r.rank2[i];
    out->statistic = (double)(sum2 - m * (m + 1)) / 2;
    if (m <= STAT_RANK_EXACT && n <= STAT_RANK_EXACT) {
        e = stat_count_choices(&share, r.rank2, r.n, m, why);
        if (e)
            goto out;
        exact(out, share, sum2, rank_sum(&r));
    } else {
        double all = (double)r.n, product = (double)m * (double)n;
        approximate(out, out->statistic - product / 2,
                    product / 12 * (all + 1 - r.ties / (all * (all - 1))));
    }
    both(out);
out:
    free(share);
    ranking_fini(&r);
    return e;
}
