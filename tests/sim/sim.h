/* A whole lab in one thread, from one seed: a controller and its agents, each
 * made of the programs' own decisions, in a world of chance. The clock moves
 * from event to event; what happens is a pure function of seed and mutations.
 *
 *   clerk.c   the controller: controller/bench.c and what it consists of
 *   ledger.c  its store: rows that are committed
 *   site.c    an agent: agent/executor/orders.c, live.c, tenure.c, host.c ...
 *   stage.c   what it starts: target, watches, load
 *   net.c     requests and answers on their way
 *   faults.c  what goes wrong
 *   judge.c   the invariants */
#ifndef PITWALL_TESTS_SIM_SIM_H
#define PITWALL_TESTS_SIM_SIM_H

#include "common/clock.h"
#include "common/rand.h"
#include "tests/sim/clerk.h"
#include "tests/sim/judge.h"
#include "tests/sim/site.h"

/* Bugs that the simulator has to find. */
enum mutation {
    MUTATION_NONE,
    MUTATION_LYING_DISK,    /* fsync of the agents' disks does nothing */
    MUTATION_EARLY_ACK,     /* the store says committed before it is */
    MUTATION_NO_FENCING,    /* agents obey any token */
    MUTATION_AMNESIA,       /* agents forget the attempts that they had */
    MUTATION_NO_RESTORE,    /* a started agent does not undo changes */
    MUTATION_REUSED_NUMBER, /* a taken number of an attempt is given again */
    MUTATIONS
};

enum event_what {
    SIM_REQUEST, /* bytes reach an agent */
    SIM_ANSWER,  /* its answer reaches the controller */
    SIM_PART,    /* a child of an attempt has something to say */
    SIM_TICK,    /* an agent's own time */
    SIM_BOOT,    /* an agent starts */
    SIM_WAKE,    /* the controller's own time */
    SIM_SIT,     /* the operator starts it */
    SIM_FAULT,
    SIM_HEAL /* of the network: nothing is lost any more */
};

struct packet; /* net.h */

struct sim_event {
    uint64_t at_ns, order;
    enum event_what what;
    unsigned site;
    uint64_t generation;   /* of whom it is meant for; another: it is dropped */
    struct packet *packet; /* REQUEST, ANSWER: owned */
    unsigned part;         /* PART, and what it says: */
    struct child_msg msg;
    bool exits; /* PART: it is gone, with this status */
    int status;
};

struct sim {
    uint64_t seed, now_ns, order, steps;
    struct rand chance;
    enum mutation mutation;
    bool verbose;
    struct sim_event **heap; /* [n_heap] the soonest first */
    size_t n_heap, heap_size;
    unsigned n_sites;
    struct site sites[SITES_MAX];
    struct clerk clerk;
    struct judge judge;
    bool calm;                       /* faults have stopped */
    double lose, copy, slow;         /* chances of a packet */
    uint64_t cut_to_ns[SITES_MAX];   /* requests are lost until then */
    uint64_t cut_from_ns[SITES_MAX]; /* answers are */
};

/* Run a seed to its end: true when every invariant held; else what broke is
 * in sim->judge.text. Owns: sim_fini. */
bool sim_run(struct sim *sim, uint64_t seed, enum mutation mutation,
             bool verbose);
void sim_fini(struct sim *sim);

/* Let something happen ns from now; the returned one may be completed. */
struct sim_event *sim_later(struct sim *sim, uint64_t ns, enum event_what what,
                            unsigned site);

/* Chance: whether, with probability p; a number of low..high. */
bool sim_happens(struct sim *sim, double p);
uint64_t sim_between(struct sim *sim, uint64_t low, uint64_t high);

/* One line of the trace, with -v. */
void sim_say(const struct sim *sim, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Put the next things that go wrong on the way, or do one of them. */
void faults_plan(struct sim *sim);
void faults_happen(struct sim *sim);

#endif
