/* What was published of the shipped experiments, as differences that can be
 * held against ours: which cells of which table, and which cells here. */
#ifndef PITWALL_CONTROLLER_PUBLISHED_H
#define PITWALL_CONTROLLER_PUBLISHED_H

#include "results/foreign.h"

struct published {
    const char *experiment; /* tracks/experiments/EXPERIMENT.json */
    const char *says;       /* in words */
    const char *table;      /* tracks/published/TABLE.csv; NULL: words alone,
                               which say "the same" */
    const char *metric, *base, *contender; /* in the table */
    const char *our_metric, *our_base, *our_contender;
    const char *no_size; /* why sizes cannot be compared; NULL: they can */
};

/* The i-th, in the order of experiments; NULL after the last. */
const struct published *published_at(size_t i);

/* A table's figure of a cell and metric; NAN: it has none. */
double published_value(const struct foreign *table, const char *cell,
                       const char *metric);

#endif
