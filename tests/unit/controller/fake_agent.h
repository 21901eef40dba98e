/* An agent and a store played for a bench: answers as a healthy pair would,
 * keeps a log of what was asked, and goes wrong where a test says so. */
#ifndef PITWALL_TESTS_FAKE_AGENT_H
#define PITWALL_TESTS_FAKE_AGENT_H

#include "controller/bench.h"

#define FAKE_LOG_MAX    4096u
#define FAKE_BLOCKS_MAX 16u

struct fake {
    struct bench bench;
    uint32_t blocks[FAKE_BLOCKS_MAX]; /* ends of */
    uint64_t now_ns;
    char log[FAKE_LOG_MAX]; /* "ACQUIRE ADD1 move:preparing PREPARE ..." */

    /* The agent's side */
    enum attempt_state state;
    bool known; /* the attempt exists there */
    enum attempt_outcome outcome;
    const char *text;
    uint64_t token, sealed_at_ns;
    int64_t clock_ns; /* its clock minus ours */
    unsigned slow;    /* STATUS answers before a state is reached */
    struct msg_start_at start_at;
    unsigned ends; /* attempts ended in the store */
    enum attempt_outcome ended[64];
    uint32_t ended_trial[64];
    char ended_text[512]; /* of the last one */
    size_t ended_spool;   /* bytes of the last one */
    bool acked;

    /* What goes wrong: called before each answer; true when it filled ev. */
    bool (*twist)(struct fake *f, const struct bench_action *a,
                  struct bench_event *ev);
    unsigned count;              /* for the twist's use */
    const char *interrupt_after; /* Ctrl-C while this, the log's last word, is
                                    under way */
    uint64_t interrupt_at_ns;    /* Ctrl-C in the first wait that goes beyond */
    uint64_t enough_at_ns;       /* no trial more, likewise */
    uint32_t enough_at_trial;    /* this one is not added any more; 0: none */
    bool invalid;                /* the next end finds a rule broken */
};

/* Begin with n_cells cells and n_blocks iterations. */
void fake_begin(struct fake *f, uint32_t n_cells, uint32_t n_blocks);
void fake_end(struct fake *f);

/* Step until the bench is done. Fails the test after 100000 steps. */
void fake_run(struct fake *f);

/* What twists return: the agent refused, or was not heard. */
bool fake_refuse(struct fake *f, struct bench_event *ev, enum err e,
                 const char *text);
bool fake_silent(struct fake *f, struct bench_event *ev);

#endif
