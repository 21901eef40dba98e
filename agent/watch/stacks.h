/* Stacks that were found running, by their functions' names: folded to one text
 * each ("pitwall-target;main;loop_run;decoder_feed"), and counted. Names are
 * looked for at the end, when a virtual machine has made its code; before that
 * samples are addresses. Functions of the kernel end in "_[k]". */
#ifndef PITWALL_AGENT_WATCH_STACKS_H
#define PITWALL_AGENT_WATCH_STACKS_H

#include "agent/watch/emit.h"

#define STACKS_MAX       4096 /* different ones; those beyond count as one */
#define STACKS_RAW_WORDS (1u << 20) /* addresses, then they are folded */

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

/* Keep one sample's addresses (perf_event.h). */
void stacks_add(struct stacks *stacks, const struct stacks_process *process,
                const uint8_t *data, size_t len);

/* A record of each stack, names sought now. A virtual machine is waited for,
 * at most 2 s. */
void stacks_emit(struct stacks *stacks, struct emit *emit);

#endif
