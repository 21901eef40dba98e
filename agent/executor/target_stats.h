/* Where a target tells its statistics, and which of their numbers are which
 * figures: {"path": "/stats", "map": {"docs": "/counts/docs"}}. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_STATS_H
#define PITWALL_AGENT_EXECUTOR_TARGET_STATS_H

#include "agent/executor/command.h"

/* Check "stats" (NULL: there is none): a path, and names of SAMPLE_TARGET (but
 * second) to JSON pointers, whose "*" stands for all members or items, added
 * up; "1000000*" before one multiplies. ERR_INVALID, with the place. */
CHECKED enum err target_stats_check(const struct jv *stats, struct why *why);

/* The watch's arguments for it; false: they do not fit. */
bool target_stats_put(struct command *c, const struct jv *stats);

#endif
