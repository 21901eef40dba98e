/* The one attempt that this agent works on: attempt.c's decisions carried out
 * by stage.c. After its end it is remembered until the next one. */
#ifndef PITWALL_AGENT_EXECUTOR_LIVE_H
#define PITWALL_AGENT_EXECUTOR_LIVE_H

#include "agent/executor/stage.h"
#include "common/msg.h"

/* Large: keep it in heap memory. Start zeroed, then live_init. */
struct live {
    bool any; /* there is or was an attempt */
    char name[ATTEMPT_DIR_NAME_MAX];
    struct attempt attempt;
    struct setup setup;
    struct stage stage;
    struct manifest manifest; /* once sealed */
    bool seal_due;
    uint64_t trim_ns;            /* when next */
    struct host *host;           /* borrowed */
    const struct groups *groups; /* borrowed */
};

/* No attempt yet. What attempts change on the machine goes through host; their
 * processes are in groups. */
void live_init(struct live *live, struct host *host,
               const struct groups *groups);

/* Whether an attempt is under way, not sealed. */
bool live_busy(const struct live *live);

/* Begin attempt name as live->setup says (made by setup_make). plan is taken.
 * What fails after its folder is made fails the attempt, not the call.
 * ERR_EXISTS and others: no attempt was begun. */
CHECKED enum err live_begin(struct live *live, const struct home *home,
                            const char *name, int plan, struct why *why);

/* Let the attempt take an event and carry out what follows, except the
 * sealing. Errors as attempt_step. */
CHECKED enum err live_step(struct live *live, const struct attempt_event *ev,
                           struct why *why);

/* The same for what cannot fail. */
void live_tell(struct live *live, enum event_kind kind, const char *text);

/* Pass what poll found on stage_watch's descriptors. */
void live_hear(struct live *live, const struct pollfd fds[STAGE_FDS]);

/* Once a second (trim_ns), and at any other time: hold what an attempt writes
 * to its bounds. */
void live_trim(struct live *live, uint64_t now_ns);

/* Seal the attempt if it is time: after every step and hearing. */
void live_finish(struct live *live);

/* Where it stands, for STATUS. */
void live_status(const struct live *live, struct msg_status_reply *out);

/* The same of a folder's manifest. */
void live_status_of(enum attempt_state state, const struct manifest *m,
                    struct msg_status_reply *out);

#endif
