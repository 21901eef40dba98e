/* When a task's window begins and ends, found out by its threads together:
 * it begins when the last of its first clients is warm, and ends when the
 * first client has run out of work, so that all clients are at work in all of
 * it. Where the times are given both are known beforehand. */
#ifndef PITWALL_LOAD_SPAN_H
#define PITWALL_LOAD_SPAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/measure.h"

/* All times CLOCK_MONOTONIC; UINT64_MAX: not known yet. */
struct span {
    atomic_uint_least64_t begin_ns, end_ns;
    atomic_uint_least64_t warm_ns; /* of the last client that is warm so far */
    atomic_uint cold;              /* first clients that are not */
};

/* A window of these times; for one to be found out, begin_ns UINT64_MAX and
 * the number of first clients, which must all become warm. */
void span_init(struct span *s, uint64_t begin_ns, uint64_t end_ns,
               uint32_t cold);

/* A first client is warm: its operations count from at_ns on. Thread: any. */
void span_warm(struct span *s, uint64_t at_ns);

/* A client has nothing more to do. Thread: any. */
void span_finish(struct span *s, uint64_t at_ns);

/* Whether an operation with this intended start belongs to the window, as far
 * as is known. Thread: any. */
static inline bool span_holds(const struct span *s, uint64_t intended_ns)
{
    const struct measure_window window = {
        .begin_ns = atomic_load_explicit(&s->begin_ns, memory_order_relaxed),
        .end_ns = atomic_load_explicit(&s->end_ns, memory_order_relaxed)};
    return measure_holds(&window, intended_ns);
}

/* Whether what is done at done_ns was ended by the window, as far as is known:
 * its end is when the first client's last operation is done. Thread: any. */
static inline bool span_ends(const struct span *s, uint64_t done_ns)
{
    return done_ns > atomic_load_explicit(&s->begin_ns, memory_order_relaxed) &&
           done_ns <= atomic_load_explicit(&s->end_ns, memory_order_relaxed);
}

/* The window's edges as far as they are known. Thread: any. */
uint64_t span_begin(const struct span *s);
uint64_t span_end(const struct span *s);

#endif
