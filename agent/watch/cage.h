/* The processes of the cage, found in /proc and kept open: a descriptor of
 * /proc/PID/stat answers ESRCH once its process is gone, whatever is started
 * under the same number later. */
#ifndef PITWALL_AGENT_WATCH_CAGE_H
#define PITWALL_AGENT_WATCH_CAGE_H

#include <dirent.h>
#include <stdbool.h>

#include "agent/watch/affinity.h"
#include "agent/watch/emit.h"
#include "agent/watch/procstat.h"
#include "agent/watch/threads.h"

#define CAGE_MAX 64 /* processes; those beyond are counted, not watched */

struct cage {
    DIR *proc;     /* NULL: not readable */
    bool own_pgrp; /* no pid namespace: only the own process group */
    uint64_t tick_ns, page_bytes;
    uint64_t beyond; /* processes that found no place */
    size_t n;
    struct cage_process {
        int fd;
        DIR *tasks;    /* its threads; NULL: not readable */
        char name[33]; /* of the sample */
        struct procstat last;
    } processes[CAGE_MAX];
    struct threads threads;
};

/* root is "/proc" (tests give a folder). Never fails: without it there are no
 * processes. */
void cage_open(struct cage *cage, const char *root, bool own_pgrp);
void cage_close(struct cage *cage);

/* Find what is there now; its counters are the base that the next samples'
 * differences start from. */
void cage_prime(struct cage *cage);

/* Look at the processors that the threads of what is there may use, but the
 * watch's own. */
void cage_affinity(const struct cage *cage, struct affinity *affinity);

/* One sample for each process that is there: it counts from the sample before,
 * or from its own start when it is new. */
void cage_sample(struct cage *cage, int64_t second, struct emit *emit);

#endif
