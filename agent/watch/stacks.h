/* Stacks that were found running, by their functions' names: folded to one text
 * each ("pitwall-target;main;loop_run;decoder_feed"), and counted. */
#ifndef PITWALL_AGENT_WATCH_STACKS_H
#define PITWALL_AGENT_WATCH_STACKS_H

#include "agent/watch/emit.h"

#define STACKS_MAX 4096 /* different ones; those beyond count as one */

struct stacks;
struct stacks_process;

/* Owns: *out, for stacks_close; NULL on failure (ERR_NOMEM). */
CHECKED enum err stacks_open(struct stacks **out, const char *proc_dir,
                             struct why *why);
void stacks_close(struct stacks *stacks);

/* The process of pid, named comm: its files are read when it is first asked
 * for. NULL: no room for another. Lives as long as stacks. */
struct stacks_process *stacks_process(struct stacks *stacks, int pid,
                                      const char *comm);

/* Count one sample's addresses (perf_event.h). */
void stacks_add(struct stacks *stacks, struct stacks_process *process,
                const uint8_t *data, size_t len);

/* A record of each stack. */
void stacks_emit(const struct stacks *stacks, struct emit *emit);

#endif
