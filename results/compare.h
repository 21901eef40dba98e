/* The answer to "is B better than A?": cells or slices of one experiment
 * compared block by block, or experiments compared without common blocks. */
#ifndef PITWALL_RESULTS_COMPARE_H
#define PITWALL_RESULTS_COMPARE_H

#include "results/finding.h"
#include "results/grid.h"
#include "results/store.h"

#define COMPARE_CONTENDERS_MAX 32u
#define COMPARE_MARGIN         0.02
#define COMPARE_ALPHA          0.05

struct compare_options {
    const char *base;              /* "3:heap=1g", slice_split */
    const char *const *contenders; /* [n_contenders], at least one */
    size_t n_contenders;
    const char *metrics; /* names, comma separated; NULL: the summary's rows */
    double margin_ratio, alpha; /* 0 < alpha < 1 */
    const char *adjust;         /* "holm", "bh"; NULL: Holm for what is
                                   declared, else Benjamini-Hochberg */
    bool gated;   /* a verdict without common blocks is refused (ERR_USAGE) */
    bool machine; /* every number in a column of its own */
};

/* What was found, for gates; of declared metrics and of contenders. */
struct compare_found {
    bool regressed; /* by the margin or more; or a contender's trials failed or
                       ran out of memory where the base's did not */
    bool oom, failed, invalid;
};

/* Compare and fill grid.
 * Errors  ERR_NOTFOUND, ERR_USAGE: a selector, metric or word; ERR_CORRUPT. */
CHECKED enum err answer_compare(struct store *store,
                                const struct compare_options *options,
                                struct grid *grid, struct compare_found *found,
                                struct why *why);

#endif
