/* The agents of one bench as its machine sees them: each answers when it does,
 * one of them may be silent, fail or be stopped, and loads come to the meetings
 * that a test names. */
#ifndef PITWALL_TESTS_UNIT_CONTROLLER_FAKE_CREW_H
#define PITWALL_TESTS_UNIT_CONTROLLER_FAKE_CREW_H

#include "controller/bench.h"

#define AGENTS 3u

struct far {
    enum attempt_state state;
    bool known;
    const char *outcome, *text; /* once sealed; NULL: ok */
    int64_t clock_ns;
    uint64_t t0_ns, sealed_at_ns; /* its clock; ours */
    size_t left;         /* of the meetings, those it has gone on from */
    uint64_t from_ns[4]; /* of each meeting, its clock */
    bool done, stopped, silent, deaf, late; /* deaf, late: once */
    bool pending;
    struct bench_action action;
    uint64_t sent_ns;
};

struct world {
    struct bench bench;
    uint32_t trials;
    struct far agents[AGENTS];
    uint64_t now_ns;
    char log[4096];
    bool apart;
    enum attempt_outcome outcome;
    char error[512];
    unsigned ends, collected;
    const uint32_t *meets; /* [n_meets]: the loads', from 100 ms after t0 on */
    size_t n_meets;
    int any; /* the agent whose word counts for all, at the first one */
    /* What goes wrong, once: when agent is told op. */
    enum msg_op op;
    int agent; /* -1: nothing */
    void (*wrong)(struct world *w, struct far *a);
};

extern struct world w;

/* A new world of one bench with so many trials, of a second of warm-up and a
 * window of two. */
void crew_begin(uint32_t trials);

/* Until the bench has nothing more to do. */
void crew_run(void);

#endif
