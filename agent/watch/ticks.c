#include "agent/watch/ticks.h"

#include "common/clock.h"

/* The label after the window's last one. */
static int64_t after_window(const struct measure_window *w)
{
    return (int64_t)((w->end_ns - w->begin_ns + NS_PER_S - 1) / NS_PER_S);
}

/* Where the interval of this label ends. */
static uint64_t end_of(const struct measure_window *w, int64_t label)
{
    if (label >= after_window(w))
        return UINT64_MAX;
    if (label < 0)
        return w->begin_ns - (uint64_t)(-label - 1) * NS_PER_S;
    uint64_t end_ns = w->begin_ns + ((uint64_t)label + 1) * NS_PER_S;
    return end_ns < w->end_ns ? end_ns : w->end_ns;
}

/* Looks belong to the interval under way. */
static void next_sockets(struct ticks *ticks, uint64_t at_ns)
{
    bool inside = ticks->due_ns != UINT64_MAX && at_ns < ticks->due_ns;
    ticks->sockets_ns = inside ? at_ns : UINT64_MAX;
}

void ticks_start(struct ticks *ticks, const struct measure_window *window,
                 uint64_t start_ns)
{
    *ticks = (struct ticks){.window = *window};
    ticks->label = start_ns < window->end_ns ? measure_second(window, start_ns)
                                             : after_window(window);
    ticks->due_ns = end_of(window, ticks->label);
    next_sockets(ticks, start_ns + TICKS_SOCKETS_NS / 2);
}

void ticks_advance(struct ticks *ticks, uint64_t now_ns)
{
    uint64_t was_due_ns = ticks->due_ns;
    if (was_due_ns == UINT64_MAX)
        return;
    ticks->label++;
    ticks->due_ns = end_of(&ticks->window, ticks->label);
    while (ticks->due_ns <= now_ns) {
        ticks->missed++;
        was_due_ns = ticks->due_ns;
        ticks->label++;
        ticks->due_ns = end_of(&ticks->window, ticks->label);
    }
    next_sockets(ticks, was_due_ns + TICKS_SOCKETS_NS / 2);
}

void ticks_sockets_done(struct ticks *ticks, uint64_t now_ns, uint64_t cost_ns)
{
    uint64_t next_ns = ticks->sockets_ns;
    if (next_ns == UINT64_MAX)
        return;
    uint64_t rest_ns = cost_ns * TICKS_SOCKETS_REST;
    next_ns += rest_ns > TICKS_SOCKETS_NS ? rest_ns : TICKS_SOCKETS_NS;
    if (next_ns <= now_ns)
        next_ns = now_ns + TICKS_SOCKETS_NS;
    next_sockets(ticks, next_ns);
}

uint64_t ticks_next_ns(const struct ticks *ticks)
{
    return ticks->due_ns < ticks->sockets_ns ? ticks->due_ns
                                             : ticks->sockets_ns;
}
