/* The incomplete beta function, which t, F and binomial tails come down to.
 * Pure, libm only. */
#ifndef PITWALL_RESULTS_STAT_BETA_H
#define PITWALL_RESULTS_STAT_BETA_H

/* The regularized incomplete beta function I_x(a, b), a and b > 0; x below 0
 * counts as 0, above 1 as 1. Continued fraction by Lentz's method (Numerical
 * Recipes section 6.4; DLMF 8.17.22), good to 1e-12. */
double stat_beta(double x, double a, double b);

#endif
