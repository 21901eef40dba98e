/* One bench's work as a pure step machine: what it is told (answers, silence,
 * time, Ctrl-C, what the store did) in, the next thing to do out. It holds no
 * socket, no store and no clock; run.c does what it says, tests play the world.
 *
 * A bench is one target agent and its load agents, each with a seat (seat.h).
 * Each seat has its own request on its way; what must be in step is here:
 *
 *   PICK -> target PREPAREd, then loads -> all ARMed -> all clocks measured
 *     -> one t0 for all (-> loads meet and go on) -> loads end, then the
 *     target is stopped -> all COLLECTed -> one END in the store -> all ACKed
 *     -> PICK ... RELEASE -> OVER
 *
 * When one fails or is lost, or at Ctrl-C, the loads are stopped, then the
 * target, and what they have is collected all the same.
 *
 * Before a request that moves an attempt, its state is committed (BENCH_MOVE),
 * so that a controller that dies finds in its store what it may have sent. */
#ifndef PITWALL_CONTROLLER_BENCH_H
#define PITWALL_CONTROLLER_BENCH_H

#include "controller/queue.h"
#include "controller/seat.h"

#define BENCH_AGENTS_MAX 17u /* a target's, and loads' */
#define BENCH_LEAD_NS    (100 * NS_PER_MS)

enum bench_phase {
    BENCH_REACH, /* leases are taken */
    BENCH_PICK,
    BENCH_TRY,    /* an attempt, until all seats are at rest */
    BENCH_GATHER, /* its results are collected */
    BENCH_END,
    BENCH_SETTLE, /* results are acknowledged */
    BENCH_LEAVE,  /* leases are released */
    BENCH_OVER
};

enum bench_what {
    BENCH_WAIT,   /* tell TICK at due_ns, or what happens before */
    BENCH_SEND,   /* send request op to agent; tell TICK at once, later its
                     answer or its silence */
    BENCH_ADD,    /* store a new attempt at trial; tell STORED with att */
    BENCH_MOVE,   /* store the attempt's state; tell STORED */
    BENCH_FINISH, /* store its end (outcome, error, the seats' spools); tell
                     STORED or CORRUPT */
    BENCH_DONE    /* nothing is left to do; see error */
};

/* Texts of an action are valid until the next step. */
struct bench_action {
    enum bench_what what;
    uint64_t due_ns;              /* WAIT */
    unsigned agent;               /* SEND */
    enum msg_op op;               /* SEND */
    uint64_t ttl_ns;              /* ACQUIRE, RENEW */
    struct msg_start_at start_at; /* START_AT */
    struct msg_meet meet;         /* MEET */
    bool done;                    /* STOP: the load ended well */
    uint64_t offset, ack_bytes;   /* COLLECT; ACK */
    uint32_t ack_crc;             /* ACK */
    enum attempt_state state;     /* MOVE */
    enum attempt_outcome outcome; /* FINISH */
    const char *error;            /* FINISH: NULL or text */
};

enum bench_told {
    BENCH_TICK,     /* time passed */
    BENCH_ANSWERED, /* the agent's outstanding request was answered */
    BENCH_UNHEARD,  /* it was not: timeout, lost connection; err, text */
    BENCH_STORED,   /* ADD, MOVE or FINISH is committed */
    BENCH_CORRUPT,  /* FINISH: a spool does not decode; text */
    BENCH_INTERRUPT /* Ctrl-C: stop in good order */
};

struct bench_event {
    enum bench_told what;
    unsigned agent;  /* ANSWERED, UNHEARD */
    uint64_t now_ns; /* CLOCK_MONOTONIC, always */
    enum err err;    /* ANSWERED: of the reply; UNHEARD */
    const char *text;
    uint64_t sent_ns;                      /* ANSWERED PING: when it was sent */
    const struct msg_ping_reply *ping;     /* ANSWERED PING */
    const struct msg_lease *lease;         /* ANSWERED ACQUIRE, RENEW */
    const struct msg_status_reply *status; /* PREPARE ... STOP */
    const struct msg_chunk *chunk;         /* COLLECT */
    uint32_t att;                          /* STORED ADD */
    bool apart;   /* STORED ADD: load is the load agents', not the target's */
    bool invalid; /* STORED FINISH */
};

/* Times of a trial's load. */
struct bench_times {
    uint64_t warmup_ns, measure_ns;
};

struct bench_config {
    uint32_t n_cells, n_trials, retries;
    uint32_t n_extra; /* calibrations before the first trial, numbered from
                         n_trials on, never repeated */
    bool abort_on_error;
    struct bench_times times, extra_times;
    uint64_t ready_ns, drain_ns;
    unsigned n_agents;                   /* 0: one */
    const char *names[BENCH_AGENTS_MAX]; /* in what is told of failures */
};

/* Readers may look at everything. */
struct bench {
    struct bench_config config;
    struct queue queue;
    struct seat seats[BENCH_AGENTS_MAX]; /* the target's first */
    unsigned n_seats;
    enum bench_phase phase;
    bool storing; /* the store's answer is waited for */

    uint32_t extra; /* calibrations picked */
    uint32_t trial, att;
    bool apart;                  /* the loads take part */
    enum attempt_state recorded; /* last state in the store */
    bool failing;                /* the attempt is to be stopped */
    uint64_t t0_ns, end_ns;      /* of the start and the window, our clock */
    uint32_t late;               /* START_ATs that came too late */
    uint32_t met;                /* the meeting that all may leave ... */
    uint64_t met_ns;             /* ... from then on (0: at once), our clock */
    enum attempt_outcome outcome;
    char text[512]; /* of the attempt's failure */

    bool interrupted, lost, cut_short;
    char error[512]; /* why the bench was lost or ended early, else "" */
};

/* Start anew. ERR_NOMEM. Owns: bench_fini. */
CHECKED enum err bench_init(struct bench *bench,
                            const struct bench_config *config, struct why *why);
void bench_fini(struct bench *bench);

/* Take one event; say what to do next. After ADD, MOVE and FINISH only their
 * own answer, INTERRUPT and TICK may be told. */
void bench_step(struct bench *bench, const struct bench_event *event,
                struct bench_action *action);

/* Whether an attempt is stored and not ended; is a calibration; its lengths. */
bool bench_active(const struct bench *bench);
bool bench_is_extra(const struct bench *bench);
struct bench_times bench_times(const struct bench *bench);

/* Word for what goes on: "starting", "measuring", ... */
const char *bench_phase_name(const struct bench *bench);

#endif
