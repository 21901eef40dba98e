/* The target's log of its collections: a file in its working folder, which
 * ends in the attempt's spool. */
#ifndef PITWALL_AGENT_EXECUTOR_GC_LOG_H
#define PITWALL_AGENT_EXECUTOR_GC_LOG_H

#include "agent/executor/spool_file.h"

#define GC_LOG_NAME "gc.log"

/* Append the log that stands in work/ of the attempt's folder dir to spool,
 * behind what the spool has of it: whole lines, together at most
 * SPOOL_GC_LOG_MAX bytes. Where something is left out (a line that a killed
 * target did not finish, all beyond the cap) a last line says how much. No log
 * is ERR_OK. What is written to it meanwhile may be missing.
 * Errors  ERR_INVALID: not a plain file; spool_file_append's; errno's. */
CHECKED enum err gc_log_take(int dir, struct spool_file *spool,
                             struct why *why);

/* Give the disk back what a log that is still written has beyond the cap, but
 * for its last 4 MiB: its length stays, whatever writes it goes on as before.
 * For every second. */
void gc_log_trim(int dir);

#endif
