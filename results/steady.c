#include "results/steady.h"

#include <math.h>

#define BATCH_S 5u
#define T_MAX   4.0

struct moments {
    double n, mean, square; /* square: sum of squared deviations */
};

static struct moments moments_of(const uint64_t *series, size_t n)
{
    struct moments m = {.n = 0};
    for (size_t i = 0; i < n; i++) { /* Welford */
        double x = (double)series[i], before = x - m.mean;
        m.n++;
        m.mean += before / m.n;
        m.square += before * (x - m.mean);
    }
    return m;
}

static double batch(const uint64_t *series, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < BATCH_S; k++)
        sum += (double)series[i * BATCH_S + k];
    return sum / BATCH_S;
}

/* Batches to cut: the first least of sum((z - mean)^2) / (k - d)^2 over
 * d = 0..k/2, where the sums run over what the cut leaves. */
static size_t mser(const uint64_t *series, size_t k)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t d = 0; d <= k / 2; d++) {
        double mean = 0, square = 0, left = (double)(k - d);
        for (size_t i = d; i < k; i++)
            mean += batch(series, i) / left;
        for (size_t i = d; i < k; i++)
            square += pow(batch(series, i) - mean, 2);
        if (square / (left * left) < least) {
            least = square / (left * left);
            best = d;
        }
    }
    return best;
}

void steady_judge(struct steady *out, const uint64_t *series, size_t n,
                  double accepted)
{
    *out = (struct steady){.steady = true};
    if (n < STEADY_HALVES_MIN)
        return;
    struct moments a = moments_of(series, n / 2);
    struct moments b = moments_of(series + n - n / 2, n / 2);
    double variance = a.square / (a.n - 1) / a.n + b.square / (b.n - 1) / b.n;
    out->judged = true;
    out->drift = a.mean > 0 ? b.mean / a.mean - 1 : 0;
    out->t = (b.mean - a.mean) / sqrt(variance);
    if (n >= STEADY_MSER_MIN) {
        size_t k = n / BATCH_S, cut = mser(series, k);
        out->cut_s = cut * BATCH_S;
        out->steady = cut < k / 2;
    } else {
        out->steady = fabs(out->drift) <= accepted || !(fabs(out->t) > T_MAX);
    }
}
