/* One attempt's life on this machine as a pure step function: events in,
 * actions out, time as a value, no input or output of its own. stage.c does
 * what the actions say; tests play the world. */
#ifndef PITWALL_AGENT_EXECUTOR_ATTEMPT_H
#define PITWALL_AGENT_EXECUTOR_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/child.h"
#include "common/state.h"

/* The processes of an attempt. */
enum part { PART_TARGET, PART_WATCH_TARGET, PART_LOAD, PART_WATCH_LOAD, PARTS };

#define PART_BIT(part) (1u << (unsigned)(part))

enum event_kind {
    EVENT_BEGIN, /* the settings are in force: start the parts */
    EVENT_MSG,   /* a part said msg */
    EVENT_EXIT,  /* a part ended: status of waitpid, text: its last line */
    EVENT_ARM,   /* command */
    EVENT_START, /* command: t0_ns, warmup_ns, measure_ns */
    EVENT_MEET,  /* command: meet, t0_ns */
    EVENT_STOP,  /* command, lease expiry, signal: text says why */
    EVENT_FAULT, /* the executor cannot go on: text says why */
    EVENT_KILL,  /* at once, without a drain: text says why */
    EVENT_TICK   /* time has passed */
};

struct attempt_event {
    enum event_kind kind;
    enum part part;              /* MSG, EXIT */
    int status;                  /* EXIT */
    uint64_t now_ns;             /* CLOCK_MONOTONIC, always */
    uint64_t t0_ns;              /* START; MEET: 0 or its instant */
    uint64_t warmup_ns;          /* START */
    uint64_t measure_ns;         /* START */
    uint32_t meet;               /* MEET: the meeting's number */
    bool starved;                /* EXIT: killed for want of memory */
    const char *stayed;          /* EXIT: what it left running; NULL: nothing */
    bool done;                   /* STOP: load on other machines ended well */
    const struct child_msg *msg; /* MSG */
    const char *text;            /* EXIT, STOP, FAULT, KILL; or NULL */
};

enum action_kind {
    ACTION_SPAWN, /* start part */
    ACTION_SEND,  /* send msg to part */
    ACTION_KILL,  /* SIGKILL part */
    ACTION_SEAL   /* end the cages, write the manifest, then attempt_sealed */
};

struct attempt_action {
    enum action_kind kind;
    enum part part;
    struct child_msg msg;
};

#define ACTIONS_MAX 8u

struct attempt_actions {
    struct attempt_action items[ACTIONS_MAX];
    unsigned n;
};

/* How certain a cause of failure is: a higher one replaces a lower one. */
enum cause { CAUSE_NONE, CAUSE_OTHER, CAUSE_TARGET, CAUSE_OOM, CAUSE_ABORT };

enum attempt_phase { PHASE_NONE, PHASE_LOAD, PHASE_WATCH, PHASE_TARGET };

struct attempt_part {
    bool spawned, alive, ready, armed, done, told, killed;
    char said[256]; /* text of FAILED; of a watch that waits, of PROGRESS */
};

#define ATTEMPT_NO_EXIT (-1)

/* A plain value; attempt_init makes it. Readers may look at everything. */
struct attempt {
    enum attempt_state state;
    enum attempt_outcome outcome; /* once sealed */
    char text[500];               /* of a failure, or a note; else "" */
    enum cause cause;
    enum part cause_part;     /* PARTS: of none in particular */
    enum attempt_phase phase; /* while stopping */
    unsigned parts;           /* PART_BITs that this attempt has */
    bool silent;      /* the target does not speak the child contract: its watch
                         tells that it is ready, a signal stops it */
    uint64_t stop_ns; /* its patience with that; 0: as ending.c has it */
    uint64_t records_ns; /* its watch's, to read what a JVM wrote; else 0 */
    int oom_exit; /* status by which it says out of memory; ATTEMPT_NO_EXIT */
    struct attempt_part part[PARTS];
    bool arming, began;   /* ARM was sent; load was started */
    uint64_t deadline_ns; /* of what is waited for now; 0: none */
    uint64_t begun_ns;    /* the parts were started */
    uint64_t ready_ns, drain_ns;
    uint64_t end_ns; /* of the measured window, once started */
    uint64_t docs, bytes, errors;
    double docs_s;
    uint32_t meet, met; /* where load has come to, and gone on from */
    bool meet_any;      /* its word counts for all */
    char task[65];
    char url[257]; /* where the target listens */
};

/* A new attempt in state preparing, with these parts and the spec's two
 * deadlines; drain_ns is cut to 5 s. */
void attempt_init(struct attempt *a, unsigned parts, uint64_t ready_ns,
                  uint64_t drain_ns);

/* Take one event: changes a, fills out with what is to be done, in order.
 * Commands mean "reach at least this state": one that is already reached is
 * ERR_OK without actions. ERR_STATE: not yet possible; ERR_LATE: t0 is not in
 * the future; ERR_RANGE: t0 or lengths beyond all reason. Other events never
 * fail. */
CHECKED enum err attempt_step(struct attempt *a, const struct attempt_event *ev,
                              struct attempt_actions *out, struct why *why);

/* The cages are gone and the spool is closed; failed (may be NULL) says that
 * the results could not be made durable, which makes the outcome failed. */
void attempt_sealed(struct attempt *a, const char *failed);

/* The outcome and text that the manifest gets. */
enum attempt_outcome attempt_verdict(const struct attempt *a);

/* Word for a part ("watch of the target"). */
const char *part_name(enum part part);

#endif
