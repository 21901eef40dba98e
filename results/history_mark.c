#include "results/history_mark.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results/stat_spread.h"

#define SEED 20170405u /* of the shuffles: the same history, the same marks */

static double median_of(const double *x, size_t n)
{
    double copy[STAT_HISTORY_MAX];
    memcpy(copy, x, n * sizeof *x);
    return stat_median(copy, n);
}

/* Whether all of x [from, n) lie on one side of all of x [base, from). */
static bool apart(const double *x, size_t base, size_t from, size_t n)
{
    double low = INFINITY, high = -INFINITY, least = INFINITY, most = -INFINITY;
    for (size_t i = base; i < from; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    for (size_t i = from; i < n; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    return least > high || most < low;
}

static void mark_suspect(const double *x, size_t base, size_t n, double margin,
                         struct history_mark *marks)
{
    for (size_t k = STAT_SEGMENT_MIN - 1; k >= 1; k--) {
        if (n < base + STAT_SEGMENT_MIN + k)
            continue;
        size_t from = n - k;
        double ratio =
            median_of(x + from, k) / median_of(x + base, from - base);
        if (!apart(x, base, from, n) ||
            (ratio < 1 + margin && ratio > 1 / (1 + margin)))
            continue;
        marks[from] = (struct history_mark){
            .kind = HISTORY_SUSPECT, .ratio = ratio, .confirmed = k};
        return;
    }
}

void history_marks(const double *x, size_t n, double margin_ratio,
                   struct history_mark *marks)
{
    struct stat_change found[STAT_HISTORY_MAX / STAT_SEGMENT_MIN];
    size_t base = 0,
           changes = n >= STAT_HISTORY_MIN
                         ? stat_changes(x, n, margin_ratio, SEED, found)
                         : 0;
    for (size_t i = 0; i < n; i++)
        marks[i] = (struct history_mark){.kind = HISTORY_PLAIN};
    for (size_t i = 0; i < changes; i++) {
        marks[found[i].at] = (struct history_mark){
            .kind = HISTORY_CHANGE, .ratio = found[i].ratio, .p = found[i].p};
        if (found[i].at > base)
            base = found[i].at;
    }
    mark_suspect(x, base, n, margin_ratio, marks);
}
