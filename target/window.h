/* The measured window [t0, t1) as POST /_pitwall/window sets it, in
 * CLOCK_MONOTONIC. Threads ask it whether a moment belongs to it; before it was
 * set it reaches from the start to the end of the process. */
#ifndef PITWALL_TARGET_WINDOW_H
#define PITWALL_TARGET_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct window {
    _Atomic uint64_t t0_ns, t1_ns;
    _Atomic uint64_t generation; /* from 1; grows when the window is set */
};

static inline void window_init(struct window *w, uint64_t start_ns)
{
    atomic_init(&w->t0_ns, start_ns);
    atomic_init(&w->t1_ns, UINT64_MAX);
    atomic_init(&w->generation, 1);
}

#endif
