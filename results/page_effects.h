/* What each factor does, in a page: in words, as intervals to be drawn, as a
 * table. */
#ifndef PITWALL_RESULTS_PAGE_EFFECTS_H
#define PITWALL_RESULTS_PAGE_EFFECTS_H

#include <stdio.h>

#include "common/json_build.h"
#include "results/report.h"

/* Write the effects on the report's first metric, over the whole experiment,
 * and add "effects": [{"label", "change", "low", "high"}] and "effectsUnit" to
 * root. An experiment that has none says why. */
CHECKED enum err page_effects(FILE *out, const struct report *report,
                              struct db *db, struct jv *root, struct why *why);

#endif
