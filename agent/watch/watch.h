/* The life of a watch: the child contract on one side, samples on the other. */
#ifndef PITWALL_AGENT_WATCH_WATCH_H
#define PITWALL_AGENT_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/watch/stats_map.h"

#define WATCH_HASHES_MAX 80u

struct watch_args {
    bool load_side;  /* else the target's */
    const char *url; /* the target's; NULL: nothing is asked of it */
    const char *ready, *expect, *stats_path; /* as dialog_plan's */
    bool tell_window;                        /* likewise */
    struct stats_map map;
    struct watch_hash {
        const char *name, *path;
    } hashes[WATCH_HASHES_MAX]; /* of files, to be told */
    size_t n_hashes;
    uint16_t port;          /* the target's */
    const char *address;    /* the target's, to measure capacity; or NULL */
    const char *congestion; /* that capacity is measured with; NULL: default */
    unsigned devices;       /* enum device of sampler.h, or-ed */
    bool own_pgrp;          /* no pid namespace */
    bool jvm;               /* the target is one that logs and records */
    int control, data;      /* descriptors of the child contract */
    const char *proc_dir;   /* "/proc" */
};

/* Watch until STOP or the end of the control socket (both ERR_OK, after DONE).
 * A failure is told by FAILED as well.
 * Errors  ERR_STATE: START before READY, or twice; ERR_PROTOCOL: a message
 *         that is not for children; ERR_NOMEM. */
CHECKED enum err watch_run(const struct watch_args *args, struct why *why);

#endif
