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
 * so that a controller that dies finds in its store what it may have sent: the
 * next one takes that up first (harvest.h). An attempt whose results may lie
 * with an agent that is out of reach is left open in the store for it. */
#ifndef PITWALL_CONTROLLER_BENCH_H
#define PITWALL_CONTROLLER_BENCH_H

#include "controller/bench_event.h"
#include "controller/queue.h"
#include "controller/seat.h"

#define BENCH_AGENTS_MAX 17u /* a target's, and loads' */
#define BENCH_LEAD_NS    (100 * NS_PER_MS)
#define BENCH_LATER_NS   (100 * NS_PER_MS)
#define BENCH_EXTRA_TID  1000000u /* trials below, calibrations from here */

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

/* Times of a trial's load. */
struct bench_times {
    uint64_t warmup_ns, measure_ns;
};

struct bench_config {
    const uint32_t *ends; /* [n_blocks] as of a queue; borrowed */
    uint32_t n_blocks, retries;
    bool asks;        /* for blocks; else all are its own */
    uint32_t n_extra; /* calibrations before the first trial, numbered from
                         BENCH_EXTRA_TID on, never repeated */
    const struct bench_left *left; /* [n_left] taken up before all; borrowed */
    uint32_t n_left;
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
    bool asking;
    uint64_t ask_ns; /* for another block, not before */

    uint32_t extra, harvested;     /* calibrations, and old attempts, picked */
    const struct bench_left *left; /* the old one under way; NULL: a new one */
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

    bool interrupted, enough, lost, cut_short;
    bool left_open;  /* the last attempt's results are with the agents */
    char error[512]; /* why the bench was lost or ended early, else "" */
};

/* Start anew; what earlier sittings measured is told next, by bench_recall.
 * ERR_NOMEM. Owns: bench_fini. */
CHECKED enum err bench_init(struct bench *bench,
                            const struct bench_config *config, struct why *why);
void bench_fini(struct bench *bench);

/* A stored attempt at a trial, in the order of attempts, before the first step:
 * how it ended, and, if it failed, whether the target crashed. */
void bench_recall(struct bench *bench, uint32_t trial,
                  enum attempt_outcome outcome, bool invalid, bool crashed);

/* Take one event; say what to do next. After ASK, ADD, MOVE and FINISH only
 * their own answer, INTERRUPT and TICK may be told. */
void bench_step(struct bench *bench, const struct bench_event *event,
                struct bench_action *action);

/* Whether a trial is picked and not judged, or was left open. */
bool bench_has_trial(const struct bench *bench);

/* Whether an attempt is stored and not ended; is a calibration; its lengths;
 * the number of trials. */
bool bench_active(const struct bench *bench);
bool bench_is_extra(const struct bench *bench);
struct bench_times bench_times(const struct bench *bench);
uint32_t bench_trials(const struct bench *bench);

/* Word for what goes on: "starting", "measuring", ... */
const char *bench_phase_name(const struct bench *bench);

#endif
