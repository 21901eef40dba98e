/* The world of one attempt: its folder, spool, cages, link and processes. Does
 * what attempt.c decides and turns what happens into its events. */
#ifndef PITWALL_AGENT_EXECUTOR_STAGE_H
#define PITWALL_AGENT_EXECUTOR_STAGE_H

#include <poll.h>

#include "agent/executor/attempt_dir.h"
#include "agent/executor/attempt_groups.h"
#include "agent/executor/closing.h"
#include "agent/executor/home.h"
#include "agent/executor/host.h"
#include "agent/executor/process.h"
#include "agent/executor/setup.h"

#define STAGE_FDS (PARTS * 4)

struct stage {
    int dir, plan; /* the attempt's folder; the plan's memfd; -1: none */
    struct spool_file spool;
    struct cage target, load;
    struct process process[PARTS];
    struct attempt_groups groups;
    struct closing closing;
    struct link_state link;
    struct host *host;         /* borrowed; changes of the machine */
    const struct groups *may;  /* borrowed; groups that can be made, or NULL */
    const struct setup *setup; /* borrowed until stage_seal */
    char cache[4096];          /* what load keeps for later attempts */
};

/* Told of each event while stage_hear runs; must not close the stage. */
typedef void stage_event(void *ctx, const struct attempt_event *ev);

/* An empty stage: nothing is open. */
void stage_init(struct stage *s);

/* Make the attempt's folder and spool. plan (an fd, -1: none) is taken, also
 * on failure. ERR_EXISTS: the folder is there already. */
CHECKED enum err stage_open(struct stage *s, const struct setup *setup,
                            const struct home *home, const char *name, int plan,
                            struct why *why);

/* Make cages, link and settings, read them back into setup and note what is in
 * force in the spool. After a failure stage_seal undoes what was made. */
CHECKED enum err stage_build(struct stage *s, struct setup *setup,
                             struct why *why);

/* Actions of attempt.c. A part that does not run is no error of send. */
CHECKED enum err stage_spawn(struct stage *s, enum part part, struct why *why);
CHECKED enum err stage_send(struct stage *s, enum part part,
                            const struct child_msg *msg, struct why *why);
void stage_kill(struct stage *s, enum part part);

/* What to poll for; closed ones are -1, which poll passes over. */
void stage_watch(const struct stage *s, struct pollfd fds[STAGE_FDS]);

/* Act on what poll found: pipes into the spool, messages and exits to event.
 * A spool that cannot be written comes as EVENT_FAULT. */
void stage_hear(struct stage *s, const struct pollfd fds[STAGE_FDS],
                uint64_t now_ns, stage_event *event, void *ctx);

/* Kill what is left, take the pipes' rest, undo cages and link, and write the
 * manifest; m's counts are filled in. Closes everything in any case. */
CHECKED enum err stage_seal(struct stage *s, struct manifest *m,
                            struct why *why);

#endif
