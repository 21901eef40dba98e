#include "results/stat_change.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results/stat_spread.h"

#define P_MAX        0.01
#define OVERLAP_HIGH 0.8
#define OVERLAP_LOW  0.2

static double median_of(const double *x, size_t n)
{
    double copy[STAT_HISTORY_MAX];
    memcpy(copy, x, n * sizeof *x);
    return stat_median(copy, n);
}

static double overlap_of(const double *x, size_t at, size_t n)
{
    double wins = 0;
    for (size_t i = 0; i < at; i++)
        for (size_t j = at; j < n; j++)
            wins += x[j] > x[i] ? 1 : x[j] == x[i] ? 0.5 : 0;
    return wins / ((double)at * (double)(n - at));
}

static bool passes(const struct stat_change *c, double margin_ratio)
{
    return c->p <= P_MAX && fabs(c->ratio - 1) > margin_ratio &&
           (c->overlap >= OVERLAP_HIGH || c->overlap <= OVERLAP_LOW);
}

/* The segment's own best split, at counted from its start. */
static struct stat_change change_of(const double *x, size_t n,
                                    struct rand *rand)
{
    size_t at = stat_split_of(x, n, STAT_SEGMENT_MIN, NULL).at;
    return (struct stat_change){.at = at,
                                .p = stat_split_p(x, n, STAT_SEGMENT_MIN, rand),
                                .ratio = median_of(x + at, n - at) /
                                         median_of(x, at),
                                .overlap = overlap_of(x, at, n)};
}

static void insert(struct stat_change *found, size_t n,
                   const struct stat_change *change)
{
    size_t at = n;
    for (; at > 0 && found[at - 1].at > change->at; at--)
        found[at] = found[at - 1];
    found[at] = *change;
}

size_t stat_changes(const double *x, size_t n, double margin_ratio,
                    uint64_t seed, struct stat_change *found)
{
    assert(n <= STAT_HISTORY_MAX);
    struct rand rand = {seed};
    size_t n_found = 0, from = 0;
    /* A segment is from one change to the next; one that passes is split and
     * its left part searched again, else the search goes on behind it. */
    while (from < n) {
        size_t end = n;
        for (size_t i = n_found; i-- > 0;)
            if (found[i].at > from)
                end = found[i].at;
        if (end - from >= STAT_HISTORY_MIN) {
            struct stat_change c = change_of(x + from, end - from, &rand);
            if (passes(&c, margin_ratio)) {
                c.at += from;
                insert(found, n_found++, &c);
                continue;
            }
        }
        from = end;
    }
    return n_found;
}
