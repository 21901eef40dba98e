/* A fake world for attempt.c: parts that answer as they are told, and a clock
 * that only moves when a test says so. */
#ifndef PITWALL_TESTS_UNIT_EXECUTOR_WORLD_H
#define PITWALL_TESTS_UNIT_EXECUTOR_WORLD_H

#include "agent/executor/attempt.h"

#define WORLD_ALL 15u /* all four parts */

struct world {
    struct attempt a;
    uint64_t now_ns;
    struct attempt_actions did;                        /* of the last step */
    unsigned spawned, armed, started, stopped, killed; /* PART_BITs, ever */
    unsigned seals;
    struct child_msg last; /* the last message sent */
    struct why why;
};

/* A world with these parts, at 1000 s, ready within 30 s, drain of 2 s. */
void world_init(struct world *w, unsigned parts);

/* One event. */
enum err world_step(struct world *w, struct attempt_event ev);
enum err world_do(struct world *w, enum event_kind kind);
void world_say(struct world *w, enum part part, enum child_kind kind,
               const char *text);
void world_exit(struct world *w, enum part part, int code, const char *line);
void world_signal(struct world *w, enum part part, int signal);
enum err world_start(struct world *w, uint64_t ahead_ns, uint64_t measure_ns);

/* Time passes in one jump, then a tick. */
void world_pass(struct world *w, uint64_t ns);

/* Bring a fresh world of all parts to a state by the usual way; STOPPING is
 * after load's DONE. */
void world_to(struct world *w, enum attempt_state state);

/* Every part that was told STOP or killed and is alive exits as it should,
 * until nothing more happens; seals when that is due. */
void world_settle(struct world *w);

#endif
