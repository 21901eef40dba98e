#include "results/stat_shift.h"

#include <math.h>
#include <stdlib.h>

#include "results/stat_count.h"
#include "results/stat_dist.h"
#include "results/stat_spread.h"

#define SLACK                                                                  \
    1e-12 /* of a tail that equals the one asked for, R's qsignrank            \
           */

/* From the shares of the sums of even doubled ranks, the least of which is
 * first: the least k whose tail holds the share asked for, at least 1. */
static void ends_exact(struct stat_shift *out, const double *share,
                       size_t first, double tail)
{
    double below = share[first];
    size_t k = 0;
    while (below < tail * (1 - SLACK))
        below += share[first + 2 * ++k];
    out->k = k ? k : 1;
    double beyond = stat_count_share(share, first, first + 2 * (out->k - 1));
    out->achieved = 1 - 2 * beyond;
}

static void ends_normal(struct stat_shift *out, double mean, double variance,
                        double tail)
{
    double sd = sqrt(variance);
    out->k = (size_t)fmax(1, ceil(mean + stat_normal_quantile(tail) * sd));
    out->achieved = 1 - 2 * stat_normal(((double)out->k - 0.5 - mean) / sd);
}

/* pairs [n]: sorts them and reads the three places. */
static void places(struct stat_shift *out, double *pairs, size_t n)
{
    out->shift = stat_median(pairs, n);
    out->low = pairs[out->k - 1];
    out->high = pairs[n - out->k];
}

static void whole_ranks(size_t *rank2, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rank2[i] = 2 * (i + 1);
}

static enum err check_size(size_t n, struct why *why)
{
    if (n > STAT_SHIFT_MAX)
        return err_set(why, ERR_RANGE, "shift of %zu values: at most %u", n,
                       STAT_SHIFT_MAX);
    return ERR_OK;
}

enum err stat_shift_of(struct stat_shift *out, const double *d, size_t n,
                       double confidence, struct why *why)
{
    size_t rank2[STAT_RANK_EXACT], n_pairs = 0;
    double *share = NULL, *pairs = NULL, m = (double)n;
    enum err e = check_size(n, why);
    if (e)
        goto out;
    if (n <= STAT_RANK_EXACT) {
        whole_ranks(rank2, n);
        e = stat_count_signs(&share, rank2, n, why);
        if (e)
            goto out;
        ends_exact(out, share, 0, (1 - confidence) / 2);
    } else {
        ends_normal(out, m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24,
                    (1 - confidence) / 2);
    }
    pairs = calloc(n * (n + 1) / 2, sizeof *pairs);
    if (!pairs) {
        e = err_set(why, ERR_NOMEM, "pair %zu values", n);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            pairs[n_pairs++] = (d[i] + d[j]) / 2;
    places(out, pairs, n_pairs);
out:
    free(share);
    free(pairs);
    return e;
}

enum err stat_shift_between(struct stat_shift *out,
                            const struct stat_samples *samples,
                            double confidence, struct why *why)
{
    size_t m = samples->n_x, n = samples->n_y, n_pairs = 0;
    size_t rank2[2 * STAT_RANK_EXACT];
    double *share = NULL, *pairs = NULL, product = (double)m * (double)n;
    enum err e = check_size(m > n ? m : n, why);
    if (e)
        goto out;
    if (m <= STAT_RANK_EXACT && n <= STAT_RANK_EXACT) {
        whole_ranks(rank2, m + n);
        e = stat_count_choices(&share, rank2, m + n, m, why);
        if (e)
            goto out;
        ends_exact(out, share, m * (m + 1), (1 - confidence) / 2);
    } else {
        ends_normal(out, product / 2, product / 12 * (double)(m + n + 1),
                    (1 - confidence) / 2);
    }
    pairs = calloc(m * n, sizeof *pairs);
    if (!pairs) {
        e = err_set(why, ERR_NOMEM, "pair %zu and %zu values", m, n);
        goto out;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            pairs[n_pairs++] = samples->x[i] - samples->y[j];
    places(out, pairs, n_pairs);
out:
    free(share);
    free(pairs);
    return e;
}
