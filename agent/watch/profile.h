/* What extra trials watch closely, over the window: bytes per read of the
 * cage's processes, from the kernel, and where they spend their time. It costs
 * the processes time: figures of speed come from other trials. */
#ifndef PITWALL_AGENT_WATCH_PROFILE_H
#define PITWALL_AGENT_WATCH_PROFILE_H

#include <stdbool.h>

#include "agent/watch/emit.h"
#include "common/measure.h"

#define PROFILE_HZ          499 /* in no step with what runs every 10 ms */
#define PROFILE_THREADS_MAX 128 /* those beyond are counted, not watched */

struct profile_args {
    bool reads;           /* bytes per read */
    bool perf;            /* stacks, PROFILE_HZ times a second of CPU */
    bool own_pgrp;        /* see cage.h */
    const char *proc_dir; /* "/proc" */
};

struct profile;

/* Find out whether the kernel allows it, by sampling the own thread.
 * Errors  ERR_PERMISSION: says what allows it; ERR_NOTFOUND: no such
 *         tracepoint. Owns: *out, for profile_close; NULL on failure. */
CHECKED enum err profile_open(struct profile **out,
                              const struct profile_args *args, struct why *why);
void profile_close(struct profile *profile);

/* Begin, look and end as the window says, whenever the loop comes round: a
 * little before the window, samples of which alone are kept. */
void profile_turn(struct profile *profile, const struct measure_window *window,
                  uint64_t now_ns);

/* When the next turn is due; UINT64_MAX: never. */
uint64_t profile_due_ns(const struct profile *profile,
                        const struct measure_window *window);

/* What was found, as records; what was lost or left out, as facts. */
void profile_emit(struct profile *profile, struct emit *emit);

#endif
