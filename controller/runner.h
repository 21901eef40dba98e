/* What run.c, runner.c, allot.c and ledger.c share: the benches at work, their
 * channels and their place in the store. For these alone. */
#ifndef PITWALL_CONTROLLER_RUNNER_H
#define PITWALL_CONTROLLER_RUNNER_H

#include "controller/estimate.h"
#include "controller/request.h"
#include "controller/run.h"
#include "controller/share.h"
#include "results/sitting.h"

/* One agent's request on its way. */
struct line {
    struct chan *chan;
    struct request request;
    uint64_t sent_ns;
    bool open;
};

/* One bench. */
struct runner {
    struct run *run;
    const struct run_setup *in;
    struct lab *lab;
    unsigned number; /* among the benches */
    struct bench bench;
    struct bench_left *left; /* as the bench's configuration has them */
    struct bench_event event;
    struct bench_action action; /* that it waits with, until due */
    bool done;
    int64_t attempt; /* the store's id; 0: none */
    uint64_t begun_ns;
    enum wish told; /* the bench, of a wish or of Ctrl-C */
    struct line lines[BENCH_AGENTS_MAX];
    struct wire_buf wire;
    struct setup setup; /* of the trial at work */
    struct msg_reply head;
    union request_body body;
    struct why heard; /* text of the event */
};

/* All of them. */
struct run {
    const struct run_setup *in;
    struct runner *runners[LAB_FILE_BENCHES_MAX];
    unsigned n;
    struct share share;
    struct estimate estimate;
    uint64_t sat_ns;     /* when the sitting's first block was asked for */
    uint32_t first_done; /* blocks that were done by then */
    uint32_t looked;     /* done blocks that were looked at last */
    bool enough;         /* no block is begun any more */
    bool aborting;       /* a bench ended by --on-error=abort */
    uint64_t shown_ns;   /* the progress line, and what it told */
    const char *shown;
    unsigned interrupts;
    enum wish wish;     /* that somebody left in the store ... */
    uint64_t asked_ns;  /* ... when it was last asked */
    const char *die_at; /* tests: a point in runner.c; NULL: nowhere */
};

/* Begin with a bench of the setup's labs. Owns: runner_free. */
CHECKED enum err runner_new(struct runner **out, struct run *run,
                            unsigned number, struct why *why);
void runner_free(struct runner *r);

/* Step with r->event until the bench waits or is done. Errors of the store. */
CHECKED enum err runner_go(struct runner *r, struct why *why);

/* Take an answer that is there, or a silence that has lasted, into r->event:
 * true. */
bool runner_take(struct runner *r, unsigned agent);

/* "rack1: " where there are several benches, else "". */
const char *runner_prefix(const struct runner *r, char *buf, size_t size);

/* The cell of the trial at work, and the calibration at work (NULL: a trial
 * is). */
uint32_t runner_cell(const struct runner *r);
const struct ceiling_plan *runner_ceiling(const struct runner *r);

/* What the bench says of the store, done; the answer into ev. Errors of the
 * store, which end the run. */
CHECKED enum err ledger_add(struct runner *r, const struct bench_action *a,
                            struct bench_event *ev, struct why *why);
CHECKED enum err ledger_finish(struct runner *r, const struct bench_action *a,
                               struct bench_event *ev, struct why *why);

#endif
