/* Tails and quantiles of the distributions that verdicts rest on. Pure, libm
 * only (statistics.md section 9; checked against R's in tests/data). */
#ifndef PITWALL_RESULTS_STAT_DIST_H
#define PITWALL_RESULTS_STAT_DIST_H

#include <stddef.h>

/* Student's t with df > 0 degrees of freedom (fractions too, for Welch): P(T >
 * t); P(|T| > |t|); and the value below which lies p, 0 < p < 1. */
double stat_t_upper(double t, double df);
double stat_t_both(double t, double df);
double stat_t_quantile(double p, double df);

/* P(F > f) of Fisher's F with df1 and df2 > 0 degrees of freedom. */
double stat_f_upper(double f, double df1, double df2);

/* P(Z <= z) of the normal distribution and the value below which lies p,
 * 0 < p < 1. */
double stat_normal(double z);
double stat_normal_quantile(double p);

/* P(K <= k) of n independent trials that each succeed with 0 < p < 1; k below 0
 * gives 0. */
double stat_binomial(long k, size_t n, double p);

#endif
