/* The target's statistics: one flat JSON object of totals, named as the fields
 * of SAMPLE_TARGET, read without memory or recursion. Pure. */
#ifndef PITWALL_AGENT_WATCH_STATS_H
#define PITWALL_AGENT_WATCH_STATS_H

#include "common/record.h"

/* Read text[0..len) into out's fields (second stays 0). Members of other names
 * are passed over, also nested ones.
 * Errors  ERR_INVALID: not such an object; a name twice; a number of ours that
 *         is no whole one of 64 bits; a required one is missing. */
CHECKED enum err stats_parse(const char *text, size_t len,
                             struct record_sample_target *out, struct why *why);

/* What happened from before to now: differences, but for levels. */
struct record_sample_target
stats_since(const struct record_sample_target *before,
            const struct record_sample_target *now);

#endif
