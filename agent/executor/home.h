/* The state folder: made, locked against a second agent, recovered.
 *
 *   STATE/lock          held by flock while an agent runs
 *   STATE/epoch         the newest lease token
 *   STATE/incarnation   how often an executor has started
 *   STATE/attempts/     0700: attempt_dir.h
 *   STATE/cache/        0700: corpora, which load makes and keeps bounded
 *   STATE/gate/         the gate's own */
#ifndef PITWALL_AGENT_EXECUTOR_HOME_H
#define PITWALL_AGENT_EXECUTOR_HOME_H

#include <limits.h>

#include "common/err.h"

/* The descriptors are home_close's. */
struct home {
    int state, attempts, lock;
    char attempts_path[PATH_MAX], cache_path[PATH_MAX];
};

#define HOME_NONE ((struct home){.state = -1, .attempts = -1, .lock = -1})

/* Make and lock the folder path (absolute), then seal what a killed agent has
 * left unsealed, counted in *sealed. ERR_BUSY: another agent has it. */
CHECKED enum err home_open(struct home *home, const char *path,
                           unsigned *sealed, struct why *why);
void home_close(struct home *home);

#endif
