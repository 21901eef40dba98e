/* What a test lets one say, and how many blocks would let one say more. Pure
 * (statistics.md section 1). */
#ifndef PITWALL_RESULTS_STAT_VERDICT_H
#define PITWALL_RESULTS_STAT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "results/stat_test.h"

#define STAT_BLOCKS_MIN 3u  /* fewer give no verdict */
#define STAT_BLOCKS_CAP 60u /* the planner looks no further */

enum stat_outcome {
    STAT_NO_VERDICT, /* fewer than STAT_BLOCKS_MIN blocks */
    STAT_EQUIVALENT,
    STAT_IMPROVED,
    STAT_REGRESSED,
    STAT_INCONCLUSIVE
};

struct stat_verdict {
    enum stat_outcome outcome;
    bool within; /* equivalent, though a difference shows too */
    bool beyond; /* improved or regressed, and the whole 95 % interval
                    is beyond the margin */
};

/* "improved", "regressed", "equivalent", "inconclusive", "no-verdict". */
const char *stat_outcome_name(enum stat_outcome outcome);

/* Equivalence goes first: whoever gave the margin said that less does not
 * matter. p_diff: the test's, or that adjusted for its family; equivalence is
 * never adjusted. */
struct stat_verdict stat_verdict_of(const struct stat_test *test, double margin,
                                    double p_diff, double alpha);

/* Blocks in all, from n on, with which a difference of this mean would show
 * (at alpha_diff) or equivalence would (at alpha_equal), each with 80 % power
 * and the sd of one block's difference as it is; 0: more than cap. About half
 * to double of it with five pilot blocks.
 * n >= 2; in a table of k rows alpha_diff is stat_plan_alpha's. */
struct stat_plan {
    double mean, sd, margin;
    size_t n;
    double alpha_diff, alpha_equal;
};
size_t stat_plan_blocks(const struct stat_plan *plan, size_t cap);

/* alpha_diff for a row of k, of which some already differ: what Holm or
 * Benjamini-Hochberg would ask of the next one. */
double stat_plan_alpha(double alpha, size_t n_different, size_t n_rows);

/* The least difference that n >= 2 blocks show with 80 % power. */
double stat_detectable(double sd, size_t n, double alpha);

#endif
