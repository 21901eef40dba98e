/* The measured window: who may set it, and the figures of it that no thread
 * counts, since they belong to the process: the heap's statistics and CPU
 * time. They start at t0 and freeze at t1, both taken by the main thread's
 * gauge_tick. */
#ifndef PITWALL_TARGET_GAUGE_H
#define PITWALL_TARGET_GAUGE_H

#include "common/err.h"
#include "target/disk.h"
#include "target/heap/heap.h"
#include "target/window.h"

struct gauge;

/* Heap statistics by who allocated. */
struct gauge_heap {
    struct heap_stats all, worker, bulk;
};

/* The window as it was measured. */
struct gauge_window {
    uint64_t t0_ns, t1_ns; /* t1: where it really ended */
    bool whole;            /* it was not cut short */
    uint64_t cpu_ns;
    struct disk disk;
    struct gauge_heap heap;
};

/* window (borrowed) is initialised; it counts from start_ns. NULL: no memory.
 * Thread: the functions below lock. */
struct gauge *gauge_new(struct heap *heap, struct window *window,
                        uint64_t start_ns);
void gauge_free(struct gauge *g);

/* Set the window; a begin that has passed becomes now. ERR_RANGE: t1 is not
 * after t0, or has passed. The main thread must tick when t0 and t1 come. */
CHECKED enum err gauge_set(struct gauge *g, uint64_t t0_ns, uint64_t t1_ns,
                           uint64_t now_ns, struct why *why);

/* When gauge_tick has to be called next, UINT64_MAX for never. */
uint64_t gauge_due_ns(struct gauge *g);

/* Open or close the window if its time has come. */
void gauge_tick(struct gauge *g, uint64_t now_ns);

/* The heap's statistics since the start, in spite of the window's reset;
 * levels, minima and maxima are as they are now. */
void gauge_totals(struct gauge *g, struct heap_stats *out);

/* End the window where it is not over yet, and give its figures. */
void gauge_end(struct gauge *g, uint64_t now_ns, struct gauge_window *out);

#endif
