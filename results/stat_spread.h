/* Middle and spread of a few values by their order. Pure. */
#ifndef PITWALL_RESULTS_STAT_SPREAD_H
#define PITWALL_RESULTS_STAT_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* The median of x [n], n > 0, the mean of the middle two for an even n. Sorts
 * x, rising. */
double stat_median(double *x, size_t n);

/* 1.4826 times the median of the distances from the median: the deviation of a
 * normal distribution with that median distance (statistics.md section 7).
 * Leaves x [n], n > 0, overwritten. */
double stat_mad(double *x, size_t n);

/* Which of n sorted values, counted from 1, enclose the quantile p with at
 * least the confidence (Conover, Practical Nonparametric Statistics, section
 * 3.2). Only for independent values: of a window's requests it is too narrow.
 */
struct stat_ranks {
    size_t low, high; /* 0 and n + 1: no value is far enough out */
    double coverage;
    bool finite; /* both are values; of a median from n = 6 */
};
struct stat_ranks stat_ranks_of(size_t n, double p, double confidence);

#endif
