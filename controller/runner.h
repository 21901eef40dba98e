/* What run.c and ledger.c share: a bench at work, its channels and its place in
 * the store. For these two alone. */
#ifndef PITWALL_CONTROLLER_RUNNER_H
#define PITWALL_CONTROLLER_RUNNER_H

#include "controller/estimate.h"
#include "controller/request.h"
#include "controller/run.h"
#include "results/sitting.h"

/* One agent's request on its way. */
struct line {
    struct chan *chan;
    struct request request;
    uint64_t sent_ns;
    bool open;
};

struct runner {
    const struct run_setup *in;
    struct bench bench;
    struct bench_left *left; /* as the bench's configuration has them */
    struct estimate estimate;
    int64_t attempt; /* the store's id; 0: none */
    uint64_t begun_ns;
    uint64_t sat_ns;             /* when the sitting began */
    uint32_t first_block, block; /* that it began with, is at */
    uint32_t enough;             /* blocks that were; 0: not yet */
    uint64_t shown_ns;           /* the progress line, and what it told */
    const char *shown;
    unsigned interrupts;
    enum wish wish;    /* that somebody left in the store ... */
    uint64_t asked_ns; /* ... when it was last asked */
    enum wish told;    /* the bench, of that or of Ctrl-C */
    struct line lines[BENCH_AGENTS_MAX];
    struct wire_buf wire;
    struct setup setup; /* of the trial at work */
    struct msg_reply head;
    union request_body body;
    struct why heard;   /* text of the event */
    const char *die_at; /* tests: a point in run.c; NULL: nowhere */
};

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
