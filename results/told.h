/* What a target told each second, of which one that others wrote tells only
 * what its definition maps; the rest is unknown, not zero. */
#ifndef PITWALL_RESULTS_TOLD_H
#define PITWALL_RESULTS_TOLD_H

#include "results/tally.h"

/* Take a fact of the target's watch: "stats.told", the figures that it told,
 * comma separated; "stats.docs", its documents since it was ready. */
void told_fact(struct tally *tally, const struct record_fact *fact);

/* The sum over the polled seconds of a field of record_sample_target; NaN:
 * nothing was polled, or the target does not tell it. */
double told_sum(const struct tally *tally, size_t offset);

#define TOLD(tally, field)                                                     \
    told_sum(tally, offsetof(struct record_sample_target, field))

/* Documents that the target counted: by its last word, else as it told them.
 * NaN: it does not count. */
double told_docs(const struct tally *tally);

#endif
