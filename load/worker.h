/* One thread's share of the load: its clients, each a lane over connections of
 * one engine, from the start through warm-up and window to the drain. The
 * thread touches nothing that another writes, but the stage and a recorder's
 * progress words; what it recorded is read when it has ended, or a second at a
 * time through recorder_full. */
#ifndef PITWALL_LOAD_WORKER_H
#define PITWALL_LOAD_WORKER_H

#include "load/engine.h"
#include "load/recorder.h"
#include "load/self.h"
#include "load/stage.h"

#define WORKER_DRAIN_NS (5ull * 1000000000) /* after an abort */

struct worker;

struct worker_config {
    const struct step *step; /* borrowed for the worker's life */
    uint32_t thread, n_threads;
    const struct engine_ops *ops;
    struct engine_config engine; /* its lanes and events are set here */
    uint64_t (*now_ns)(void *ctx);
    uint64_t (*cpu_ns)(void *ctx); /* of the calling thread; NULL: not known */
    void *ctx;
    uint64_t seed;
};

/* Make a worker and connect its lanes.
 * Errors  ERR_NOMEM; those of the engine's connect. */
CHECKED enum err worker_open(struct worker **out,
                             const struct worker_config *config,
                             struct why *why);
void worker_close(struct worker *w);

/* Get ready for a stage (borrowed until the end), before the clock starts.
 * Then drive, until all is answered, or given up: after its timeout, which is
 * as long beyond the window's end, or the drain that follows an abort. Thread:
 * the worker's own. */
void worker_prepare(struct worker *w, struct stage *stage);
void worker_drive(struct worker *w);

/* What it recorded of work i; while it runs only recorder_full and the
 * progress words may be touched. */
struct recorder *worker_recorder(struct worker *w, size_t i);

/* After the end: how it kept up in the windows, and its engine's totals. */
const struct self *worker_self(const struct worker *w);
struct engine_stats worker_stats(const struct worker *w);

#endif
