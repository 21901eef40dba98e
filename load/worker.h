/* One thread's share of the load: its clients, each a lane of one engine, from
 * the start through warm-up and window to the drain. The thread touches nothing
 * that another writes, but two atomic words; what it recorded is read when it
 * has ended, or a second at a time through recorder_full. */
#ifndef PITWALL_LOAD_WORKER_H
#define PITWALL_LOAD_WORKER_H

#include "load/engine.h"
#include "load/recorder.h"
#include "load/share.h"
#include "load/work.h"

#define WORKER_DRAIN_NS (5ull * 1000000000)

struct worker;

struct worker_config {
    const struct work *works; /* [n_works], borrowed for the worker's life */
    size_t n_works;
    struct share share;         /* of all clients; what is below divides it */
    uint32_t thread, n_threads; /* every n_threads-th client is this one's */
    const struct engine_ops *ops;
    struct engine_config engine; /* its lanes and events are set here */
    uint64_t (*now_ns)(void *ctx);
    void *ctx;
    uint64_t seed;
};

/* When to start and how long; measure_ns 0: each task's own times. */
struct worker_run {
    uint64_t t0_ns, warmup_ns, measure_ns, drain_ns;
};

/* What the loop found out about itself, in the window. */
struct worker_self {
    uint64_t loop_lag_max_ns, send_blocked_ns;
    struct engine_stats stats; /* total */
};

/* Make a worker and connect its lanes.
 * Errors  ERR_NOMEM; those of the engine's connect. */
CHECKED enum err worker_open(struct worker **out,
                             const struct worker_config *config,
                             struct why *why);
void worker_close(struct worker *w);

/* How many clients it has: 0 for a thread too many. */
uint32_t worker_lanes(const struct worker *w);

/* Set the windows by run, before the clock starts. Then drive, until all is
 * answered, or given up after the drain. Thread: the worker's own. */
void worker_prepare(struct worker *w, const struct worker_run *run);
void worker_drive(struct worker *w);

/* Start nothing more from at_ns on. Thread: any. */
void worker_stop(struct worker *w, uint64_t at_ns);

/* What it recorded of work i; while it runs only recorder_full and the
 * progress words may be touched. */
struct recorder *worker_recorder(struct worker *w, size_t i);

/* After the end. */
struct worker_self worker_self(const struct worker *w);

#endif
