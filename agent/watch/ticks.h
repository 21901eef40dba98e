/* When to sample: the boundaries of the window's seconds, and the sockets five
 * times in each, at its odd tenths: at the window's very end the load may have
 * closed them already. Pure; times are CLOCK_MONOTONIC and given.
 *
 *      t0        begin     +1 s      +2 s   end            STOP
 *      |----|------|---------|---------|-----|---------------|
 *       -2    -1        0         1       2          3           labels
 *
 * A sample is taken at the end of its interval. The first may be short (a
 * warm-up of a broken number of seconds), the last of the window too; what
 * follows the window until STOP has one label of its own. */
#ifndef PITWALL_AGENT_WATCH_TICKS_H
#define PITWALL_AGENT_WATCH_TICKS_H

#include <stdbool.h>

#include "common/measure.h"

#define TICKS_SOCKETS_NS   200000000ull
#define TICKS_SOCKETS_REST 400u

struct ticks {
    struct measure_window window;
    int64_t label;       /* of the interval under way: its `second` */
    uint64_t due_ns;     /* its end; UINT64_MAX after the window */
    uint64_t sockets_ns; /* next look at the sockets; UINT64_MAX: none */
    uint64_t missed;     /* labels that got no sample: we were too late */
};

/* Begin at start_ns (t0, or later when START came late). */
void ticks_start(struct ticks *ticks, const struct measure_window *window,
                 uint64_t start_ns);

/* The sample of ticks->label was taken at now_ns: on to the next interval that
 * now_ns leaves time for. */
void ticks_advance(struct ticks *ticks, uint64_t now_ns);

/* The sockets were looked at, which took cost_ns of CPU time: a look that took
 * long (thousands of sockets, or ever new ones) makes the next one later, so
 * that looking stays at a 400th of a core. */
void ticks_sockets_done(struct ticks *ticks, uint64_t now_ns, uint64_t cost_ns);

/* When something is due next; UINT64_MAX when nothing is. */
uint64_t ticks_next_ns(const struct ticks *ticks);

#endif
