/* The t tests behind every comparison: is there a difference, and is it within
 * the margin? Pure (statistics.md section 1).
 *
 * Differences are natural logarithms of ratios, or plain differences of `abs`
 * metrics; margin is on the same scale: stat_margin(0.02), or the metric's own
 * unit. Gains are above 0. */
#ifndef PITWALL_RESULTS_STAT_TEST_H
#define PITWALL_RESULTS_STAT_TEST_H

#include <stddef.h>

struct stat_test {
    size_t n;        /* differences, or the smaller side of two samples */
    double mean, sd; /* of the differences; sd NAN for two samples */
    double se, t, df;
    double p_diff;           /* two-sided, of no difference */
    double p_lower, p_upper; /* one-sided, of a difference beyond -margin and
                                beyond +margin (TOST, Schuirmann 1987) */
    double p_equal;          /* the larger of the two */
};

/* ln(1 + margin): symmetric, 2 % is a ratio of 0.9804 to 1.02. */
double stat_margin(double margin_ratio);

/* One-sample t test of d [n]: one difference per block. sd_least: what the
 * metric's resolution alone scatters, resolution / mean / sqrt(6), or 0. No
 * spread at all gives p values of 0 or 1 (section 7, "Zero spread"); n < 2
 * gives NAN for all but n and mean. */
struct stat_test stat_test_blocks(const double *d, size_t n, double margin,
                                  double sd_least);

/* Welch's t test of mean(x) - mean(y), n_x and n_y >= 2, for samples without
 * common blocks: drift between the sittings is in it. */
struct stat_test stat_test_welch(const double *x, size_t n_x, const double *y,
                                 size_t n_y, double margin);

/* Half the width of the interval around mean at this confidence, 0..1. */
double stat_test_half(const struct stat_test *test, double confidence);

#endif
