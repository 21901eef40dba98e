/* What a factor does, from a matrix of cells in blocks: main effects,
 * interactions, simple effects, and the analysis of variance beside them. Pure
 * (statistics.md section 2). */
#ifndef PITWALL_RESULTS_STAT_FACTOR_H
#define PITWALL_RESULTS_STAT_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#define STAT_FACTORS_MAX 8u /* 255 terms */
#define STAT_TERMS_MAX   ((1u << STAT_FACTORS_MAX) - 1)

/* A full factorial matrix; the last factor varies fastest. */
struct stat_grid {
    const double *y; /* [n_blocks][n_cells], logarithms; NAN: no value */
    size_t n_blocks, n_cells; /* n_cells: the product of the levels */
    const size_t *levels;     /* [n_factors] */
    size_t n_factors;         /* at most STAT_FACTORS_MAX */
};

#define STAT_NO_FACTOR ((size_t)-1)

/* factor's level less its reference. by: STAT_NO_FACTOR gives the main effect.
 * Else by is another factor: at its level by_level alone, the simple effect;
 * less the same at by_reference, unless that is STAT_NO_FACTOR too, the
 * interaction (a difference of differences). */
struct stat_contrast {
    size_t factor, level, reference;
    size_t by, by_level, by_reference;
};

/* Cells with equal levels of all other factors are compared; a group with a
 * cell that lacks a value in any block is left out. */
struct stat_matched {
    size_t used, groups; /* "over 5 of 6 pairs" */
};

/* per_block [n_blocks] gets one difference per block, for stat_test_blocks;
 * NAN when no group is complete. */
struct stat_matched stat_contrast_of(const struct stat_grid *grid,
                                     const struct stat_contrast *contrast,
                                     double *per_block);

/* One source of variation. */
struct stat_term {
    unsigned factors; /* bit i: factor i takes part; 0: blocks or residual */
    double df, ss;
    double f, p;  /* against the residual; NAN for the residual */
    double share; /* eta squared, ss / total */
};

struct stat_anova {
    struct stat_term blocks;               /* df 0 when they are not a factor */
    struct stat_term term[STAT_TERMS_MAX]; /* term[factors - 1] */
    size_t n_terms;
    struct stat_term residual;
};

/* Analysis of variance of complete cells. blocked: rows are blocks, a factor of
 * their own (residual df (c - 1)(b - 1)); else replicates without anything in
 * common, of imported runs (c (b - 1)). False, and nothing told, when a value
 * is missing or there are fewer than two rows. Montgomery, Design and Analysis
 * of Experiments, chapters 4 and 5. */
bool stat_anova_of(struct stat_anova *out, const struct stat_grid *grid,
                   bool blocked);

#endif
