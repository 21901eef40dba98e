/* One bench's work as a pure step machine: what it is told (answers, silence,
 * time, Ctrl-C, what the store did) in, the next thing to do out. It holds no
 * socket, no store and no clock; run.c does what it says, tests play the world.
 *
 *   HELLO -> ACQUIRE -> PICK -> PREPARE, PREPARING -> ARM, ARMING -> EXTEND
 *     -> START -> RUNNING -> COLLECT -> END -> ACK -> PICK ... RELEASE -> OVER
 *   STOP, STOPPING lie between any of the middle ones and COLLECT; a lost agent
 *   leads back to HELLO, and what the agent says of the attempt then decides.
 *
 * Before a request that moves an attempt, its state is committed (BENCH_MOVE),
 * so that a controller that dies finds in its store what it may have sent. */
#ifndef PITWALL_CONTROLLER_BENCH_H
#define PITWALL_CONTROLLER_BENCH_H

#include "common/clock.h"
#include "common/msg.h"
#include "common/state.h"
#include "controller/queue.h"

#define BENCH_RENEW_NS    (2 * NS_PER_S)
#define BENCH_TTL_NS      (15 * NS_PER_S)
#define BENCH_TTL_RUN_NS  (60 * NS_PER_S) /* beyond the trial's length */
#define BENCH_REQUEST_NS  (3 * NS_PER_S)
#define BENCH_POLL_NS     (20 * NS_PER_MS)
#define BENCH_POLL_RUN_NS (200 * NS_PER_MS)
#define BENCH_LEAD_NS     (100 * NS_PER_MS)
#define BENCH_GRACE_NS    (10 * NS_PER_S)   /* beyond what the agent waits */
#define BENCH_BACKOFF_NS  (200 * NS_PER_MS) /* first; doubled each time */
#define BENCH_TRIES       5u                /* to reach a lost agent */
#define BENCH_SPOOL_MAX   (1u << 30)

enum bench_phase {
    BENCH_HELLO,
    BENCH_ACQUIRE,
    BENCH_PICK,
    BENCH_PREPARE,
    BENCH_PREPARING,
    BENCH_ARM,
    BENCH_ARMING,
    BENCH_EXTEND, /* the lease, over the measured time */
    BENCH_START,
    BENCH_RUNNING,
    BENCH_STOP,
    BENCH_STOPPING,
    BENCH_COLLECT,
    BENCH_END,
    BENCH_ACK,
    BENCH_RELEASE,
    BENCH_OVER
};

enum bench_what {
    BENCH_WAIT,   /* tell TICK at due_ns, or what happens before */
    BENCH_SEND,   /* send request op; tell its answer or its silence */
    BENCH_ADD,    /* store a new attempt at trial; tell STORED with att */
    BENCH_MOVE,   /* store the attempt's state; tell STORED */
    BENCH_FINISH, /* store its end (outcome, error, spool); tell STORED or
                     CORRUPT */
    BENCH_DONE    /* nothing is left to do; see error */
};

/* Texts and blobs of an action are valid until the next step. */
struct bench_action {
    enum bench_what what;
    uint64_t due_ns;              /* WAIT */
    enum msg_op op;               /* SEND */
    uint64_t ttl_ns;              /* ACQUIRE, RENEW */
    struct msg_start_at start_at; /* START_AT */
    uint64_t offset;              /* COLLECT */
    uint64_t ack_bytes;           /* ACK */
    uint32_t ack_crc;             /* ACK */
    enum attempt_state state;     /* MOVE */
    enum attempt_outcome outcome; /* FINISH */
    const char *error;            /* FINISH: NULL or text */
    struct wire_blob spool;       /* FINISH: data NULL when none came */
};

enum bench_told {
    BENCH_TICK,     /* time passed */
    BENCH_ANSWERED, /* the outstanding request was answered */
    BENCH_UNHEARD,  /* it was not: timeout, lost connection; err, text */
    BENCH_STORED,   /* ADD, MOVE or FINISH is committed */
    BENCH_CORRUPT,  /* FINISH: the spool does not decode; text */
    BENCH_INTERRUPT /* Ctrl-C: stop in good order */
};

struct bench_event {
    enum bench_told what;
    uint64_t now_ns; /* CLOCK_MONOTONIC, always */
    enum err err;    /* ANSWERED: of the reply; UNHEARD */
    const char *text;
    const struct msg_lease *lease;         /* ANSWERED ACQUIRE, RENEW */
    const struct msg_status_reply *status; /* PREPARE ... STOP */
    const struct msg_chunk *chunk;         /* COLLECT */
    uint32_t att;                          /* STORED ADD */
    bool invalid;                          /* STORED FINISH */
};

struct bench_config {
    uint32_t n_cells, n_trials, retries;
    bool abort_on_error;
    uint64_t warmup_ns, measure_ns, ready_ns, drain_ns;
};

/* Readers may look at everything. */
struct bench {
    struct bench_config config;
    struct queue queue;
    enum bench_phase phase, resume; /* resume: where a lost agent left us */
    bool waiting;                   /* for an answer, or for the store */
    enum msg_op op;                 /* the outstanding request */
    uint64_t token, renew_ns, poll_ns, due_ns;
    uint64_t heard_ns; /* of the last STATUS */
    uint32_t tries;    /* to reach the agent again */
    uint32_t strikes;  /* errors in a row */

    bool active; /* an attempt is stored and not ended */
    uint32_t trial, att;
    enum attempt_state recorded; /* last state in the store */
    bool sent, accepted, armed, started, stopping, collected;
    uint32_t late; /* START_ATs that came too late */
    uint32_t recollected;
    int64_t clock_ns;               /* the agent's clock minus ours */
    uint64_t end_ns;                /* of the window, our clock */
    struct msg_status_reply status; /* the last one */
    enum attempt_outcome outcome;
    char text[512]; /* of the attempt's failure */
    uint8_t *spool;
    size_t spool_len, spool_size;
    uint32_t spool_crc;

    bool interrupted, lost, cut_short;
    char error[512]; /* why the bench was lost or ended early, else "" */
};

/* Start anew. ERR_NOMEM. Owns: bench_fini. */
CHECKED enum err bench_init(struct bench *bench,
                            const struct bench_config *config, struct why *why);
void bench_fini(struct bench *bench);

/* Take one event; say what to do next. After SEND, ADD, MOVE and FINISH only
 * their own answers, INTERRUPT and TICK may be told. */
void bench_step(struct bench *bench, const struct bench_event *event,
                struct bench_action *action);

/* Word for what goes on: "starting", "measuring", ... */
const char *bench_phase_name(const struct bench *bench);

#endif
