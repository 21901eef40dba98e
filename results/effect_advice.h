/* Which level of a factor to choose, and why: of those that never ran out of
 * memory or failed, what the metric, and among equals the waste of receive
 * buffers, speaks for. */
#ifndef PITWALL_RESULTS_EFFECT_ADVICE_H
#define PITWALL_RESULTS_EFFECT_ADVICE_H

#include "results/effects.h"

struct effect_advice {
    size_t factor, level; /* of the field; level SIZE_MAX: none can be named */
    bool shown; /* to be better in something; else it is only not worse */
    char reason[600];
    char *refused; /* a line for each level that is out, NULL: none */
};

struct effect_advices {
    struct effect_advice *list; /* in the field's order; factors that are
                                   conditions rather than settings (link, load,
                                   track) have none */
    size_t n;
};

/* Owns: effect_advices_fini (a zeroed one is fine). Errors: ERR_NOMEM,
 * ERR_CORRUPT. */
CHECKED enum err effect_advices_make(struct effect_advices *out,
                                     const struct effects *effects,
                                     struct db *db, struct why *why);
void effect_advices_fini(struct effect_advices *advices);

#endif
