#include "results/steady.h"

#include <assert.h>
#include <math.h>

#include "results/stat_dist.h"

#define BATCH_S 5u
#define T_MAX   4.0
#define DRIFT_P 0.01

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

/* Mean and squares of the batches from to before end. */
static struct moments batches(const uint64_t *series, size_t from, size_t end)
{
    struct moments m = {.n = (double)(end - from)};
    for (size_t i = from; i < end; i++)
        m.mean += batch(series, i) / m.n;
    for (size_t i = from; i < end; i++)
        m.square += pow(batch(series, i) - m.mean, 2);
    return m;
}

/* Welch's p of the means' difference. */
static double p_differ(struct moments a, struct moments b)
{
    if (a.n < 2 || b.n < 2)
        return 1;
    double va = a.square / (a.n - 1) / a.n, vb = b.square / (b.n - 1) / b.n;
    if (!(va + vb > 0))
        return a.mean == b.mean ? 1 : 0;
    double df =
        (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
    return stat_t_both((b.mean - a.mean) / sqrt(va + vb), df);
}

static double change(double from, double to)
{
    return from > 0 ? to / from - 1 : 0;
}

/* The first least of sum((z - mean)^2) / (k - d)^2 over the cuts d = 0..k/2,
 * where the sum runs over what the cut leaves. */
void steady_mser(struct mser *out, const uint64_t *series, size_t n)
{
    assert(n >= STEADY_MSER_MIN);
    size_t k = n / BATCH_S, third;
    *out = (struct mser){.batches = k, .at_cut = INFINITY};
    for (size_t d = 0; d <= k / 2; d++) {
        struct moments m = batches(series, d, k);
        double statistic = m.square / (m.n * m.n);
        if (d == 0)
            out->at_0 = statistic;
        if (statistic < out->at_cut) {
            out->at_cut = statistic;
            out->cut = d;
        }
    }
    out->at_limit = out->cut == k / 2;
    if (out->cut)
        out->change = change(batches(series, 0, out->cut).mean,
                             batches(series, out->cut, k).mean);
    third = (k - out->cut) / 3;
    struct moments first = batches(series, out->cut, out->cut + third);
    struct moments last = batches(series, k - third, k);
    out->drift = change(first.mean, last.mean);
    out->drift_p = p_differ(first, last);
}

enum steady_class steady_class_of(const struct mser *mser, double margin_ratio)
{
    if (mser->at_limit)
        return STEADY_NONE;
    if (fabs(mser->drift) > margin_ratio && mser->drift_p < DRIFT_P)
        return STEADY_DRIFTING;
    if (!mser->cut)
        return STEADY_FLAT;
    return mser->change > 0 ? STEADY_WARM_UP : STEADY_SLOWDOWN;
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
        struct mser mser;
        steady_mser(&mser, series, n);
        out->cut_s = mser.cut * BATCH_S;
        out->steady = !mser.at_limit;
    } else {
        out->steady = fabs(out->drift) <= accepted || !(fabs(out->t) > T_MAX);
    }
}

double steady_odd(const uint64_t *series, size_t n, double margin_ratio,
                  double accepted)
{
    struct steady halves;
    struct mser mser;
    if (n < STEADY_HALVES_MIN)
        return NAN;
    if (n < STEADY_MSER_MIN) {
        steady_judge(&halves, series, n, accepted);
        return !halves.steady;
    }
    steady_mser(&mser, series, n);
    enum steady_class class = steady_class_of(&mser, margin_ratio);
    return class == STEADY_NONE || class == STEADY_DRIFTING;
}
