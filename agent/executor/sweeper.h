/* The one process that outlives a killed executor, for as long as it takes to
 * remove the executor's control groups, which have names and would stay. It
 * waits for the end of a pipe whose other end the executor alone has. */
#ifndef PITWALL_AGENT_EXECUTOR_SWEEPER_H
#define PITWALL_AGENT_EXECUTOR_SWEEPER_H

#include <sys/types.h>

#include "agent/executor/groups.h"

struct sweeper {
    pid_t pid; /* 0: none */
    int life;  /* write end of its pipe */
};

#define SWEEPER_NONE ((struct sweeper){.life = -1})

/* Start it; where there are no groups there is none. It keeps nothing of the
 * executor's but groups' folders. Thread: single-threaded process only. */
CHECKED enum err sweeper_start(struct sweeper *s, const struct groups *groups,
                               struct why *why);

/* Let it find nothing, and wait for its end; SWEEPER_NONE is fine. */
void sweeper_stop(struct sweeper *s);

#endif
