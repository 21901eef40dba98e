/* What a bench (bench.h) is told, and what it says to do: plain values. */
#ifndef PITWALL_CONTROLLER_BENCH_EVENT_H
#define PITWALL_CONTROLLER_BENCH_EVENT_H

#include "common/msg.h"
#include "common/state.h"

enum bench_what {
    BENCH_WAIT,   /* tell TICK at due_ns, or what happens before */
    BENCH_SEND,   /* send request op to agent; tell TICK at once, later its
                     answer or its silence */
    BENCH_ASK,    /* no trial is left in the blocks that it was given: give it
                     another and tell STORED; or tell LATER or ENOUGH */
    BENCH_ADD,    /* store a new attempt at trial, or take up left; tell STORED
                     with att */
    BENCH_MOVE,   /* store the attempt's state; tell STORED */
    BENCH_FINISH, /* store its end (outcome, error, the seats' spools); tell
                     STORED or CORRUPT */
    BENCH_DONE    /* nothing is left to do; see error */
};

/* An attempt that an earlier sitting left with the agents. */
struct bench_left {
    uint32_t trial, att;
    enum attempt_state state; /* in the store; STORED: acknowledge it only */
    uint64_t spool_bytes;     /* STORED: of all agents together */
};

/* Texts of an action are valid until the next step. */
struct bench_action {
    enum bench_what what;
    uint64_t due_ns;               /* WAIT */
    unsigned agent;                /* SEND */
    enum msg_op op;                /* SEND */
    const struct bench_left *left; /* ADD: NULL or an old attempt */
    uint64_t ttl_ns;               /* ACQUIRE, RENEW */
    struct msg_start_at start_at;  /* START_AT */
    struct msg_meet meet;          /* MEET */
    bool done;                     /* STOP: the load ended well */
    uint64_t offset, ack_bytes;    /* COLLECT; ACK */
    uint32_t ack_crc;              /* ACK */
    enum attempt_state state;      /* MOVE */
    enum attempt_outcome outcome;  /* FINISH */
    const char *error;             /* FINISH: NULL or text */
};

enum bench_told {
    BENCH_TICK,      /* time passed */
    BENCH_ANSWERED,  /* the agent's outstanding request was answered */
    BENCH_UNHEARD,   /* it was not: timeout, lost connection; err, text */
    BENCH_STORED,    /* ASK, ADD, MOVE or FINISH is done and committed */
    BENCH_LATER,     /* ASK: others are at work; ask again soon */
    BENCH_CORRUPT,   /* FINISH: a spool does not decode; text */
    BENCH_INTERRUPT, /* Ctrl-C: stop in good order */
    BENCH_ENOUGH     /* begin no other attempt than the one under way */
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

#endif
