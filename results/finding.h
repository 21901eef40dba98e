/* One difference in one metric, judged: its numbers, its verdict and the words
 * for both. Pure but for memory (statistics.md sections 1 and 7). */
#ifndef PITWALL_RESULTS_FINDING_H
#define PITWALL_RESULTS_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "results/stat_shift.h"
#include "results/stat_verdict.h"

/* How the family of findings is adjusted for its number. */
enum finding_adjust { FINDING_HOLM, FINDING_BH };

/* What a metric's differences are judged by. */
struct finding_rule {
    bool ratio;    /* differences are logarithms of ratios, else plain */
    bool exact;    /* values are equal or not: no statistics */
    bool judged;   /* a direction is the better one */
    double sign;   /* -1: lower is better, else 1; differences times it > 0
                      are gains */
    double margin; /* on the differences' scale */
    double margin_ratio; /* as it was asked for, for words */
    double alpha, confidence;
};

struct finding {
    struct finding_rule rule;
    struct stat_test test; /* of gains */
    struct stat_verdict verdict;
    double p_adjusted;
    bool paired;
    bool equal;  /* no value differs at all */
    bool ranked; /* the second opinion is there: six blocks or more */
    struct stat_shift shift;
    double p_rank;
    double trend_p;   /* of the blocks' order being without effect; NAN */
    bool narrow;      /* successive blocks are alike */
    bool unsteady;    /* the caller's: cells whose trials were no steady ones */
    size_t more, cap; /* inconclusive: about so many more blocks would tell;
                         0: with cap blocks still none */
};

/* Of gains d [n], one per block. Errors: ERR_NOMEM, ERR_RANGE: too many. */
CHECKED enum err finding_blocks(struct finding *out,
                                const struct finding_rule *rule,
                                const double *d, size_t n, struct why *why);

/* Of two samples without common blocks, x the contender's; not yet multiplied
 * by the sign. Errors as above. */
CHECKED enum err finding_samples(struct finding *out,
                                 const struct finding_rule *rule,
                                 const struct stat_samples *samples,
                                 struct why *why);

/* Verdicts for a family [n] of one alpha, after the adjustment. Errors:
 * ERR_NOMEM. */
CHECKED enum err finding_family(struct finding *family, size_t n,
                                enum finding_adjust adjust, struct why *why);

/* The change in the metric's own direction, as a ratio less one or a plain
 * difference; low and high are the interval's ends, NAN below two blocks. */
struct finding_change {
    double change, low, high;
};
struct finding_change finding_change(const struct finding *finding);

/* "+2.3%" and "[-0.9%, +5.7%]", of differences in the shown unit (factor to
 * it); "-" where unknown. Into buf, which is returned. */
const char *finding_show_change(const struct finding *finding, double factor,
                                char *buf, size_t size);
const char *finding_show_interval(const struct finding *finding, double factor,
                                  char *buf, size_t size);

/* "0.034", "<0.001"; "-" for NAN. */
const char *finding_show_p(double p, char *buf, size_t size);

/* "regressed, >= 2%", "inconclusive: about 6 more blocks" and so on, with the
 * marks that FINDING_MARKS explains. */
const char *finding_words(const struct finding *finding, char *buf,
                          size_t size);

/* The verdict as one word: stat_outcome_name's, "higher" or "lower" for a
 * metric without a better direction, "equal" or "unequal" for exact ones. */
const char *finding_word(const struct finding *finding);

/* What words end in. */
enum finding_mark {
    FINDING_FEW,      /* three or four blocks */
    FINDING_DISAGREE, /* the rank test says otherwise */
    FINDING_LONE,     /* would differ were it the only comparison */
    FINDING_CHANGES,  /* the difference changes over the sitting */
    FINDING_NARROW,   /* the interval is, as blocks take after each other */
    FINDING_UNSTEADY, /* many of the trials had no steady state */
    FINDING_MARKS
};
bool finding_marked(const struct finding *finding, enum finding_mark mark);

/* A mark and its explanation; valid for ever. */
const char *finding_legend(enum finding_mark mark);

#endif
