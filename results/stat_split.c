#include "results/stat_split.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SHUFFLES 999
#define SLACK    1e-9 /* the same split, summed in another order */

/* Sums of distances over the pairs of one cut. */
struct energy {
    double across, left, right;
};

/* Takes the point at from the right segment into the left. */
static void pass(struct energy *e, const double *x, size_t n, size_t at)
{
    double before = 0, after = 0;
    for (size_t i = 0; i < at; i++)
        before += fabs(x[at] - x[i]);
    for (size_t i = at + 1; i < n; i++)
        after += fabs(x[at] - x[i]);
    e->left += before;
    e->right -= after;
    e->across += after - before;
}

/* Mean over the pairs of n points. */
static double within(double sum, double n)
{
    return n > 1 ? 2 * sum / (n * (n - 1)) : 0;
}

struct stat_split stat_split_of(const double *x, size_t n, size_t segment_min,
                                double *q)
{
    assert(n <= STAT_SPLIT_MAX && segment_min && n >= 2 * segment_min);
    struct stat_split best = {.q = -INFINITY};
    struct energy e = {0, 0, 0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            e.right += fabs(x[i] - x[j]);
    for (size_t t = 1; t <= n - segment_min; t++) {
        double left = (double)t, right = (double)(n - t);
        pass(&e, x, n, t - 1);
        if (t < segment_min)
            continue;
        double here = left * right / (double)n *
                      (2 * e.across / (left * right) - within(e.left, left) -
                       within(e.right, right));
        if (q)
            q[t - segment_min] = here;
        if (here > best.q)
            best = (struct stat_split){t, here};
    }
    return best;
}

double stat_split_p(const double *x, size_t n, size_t segment_min,
                    struct rand *rand)
{
    double shuffled[STAT_SPLIT_MAX];
    double least = stat_split_of(x, n, segment_min, NULL).q;
    size_t as_large = 0;
    least -= SLACK * fabs(least);
    memcpy(shuffled, x, n * sizeof *x);
    for (size_t k = 0; k < SHUFFLES; k++) {
        for (size_t i = n - 1; i > 0; i--) {
            size_t j = (size_t)rand_bounded(rand, i + 1);
            double kept = shuffled[i];
            shuffled[i] = shuffled[j];
            shuffled[j] = kept;
        }
        as_large += stat_split_of(shuffled, n, segment_min, NULL).q >= least;
    }
    return (double)(1 + as_large) / (SHUFFLES + 1);
}
