/* Which clients are this process's where several load agents drive one plan.
 * They are dealt in turn over all tasks, so that each agent has as many, or one
 * less, and tasks of one client do not all fall to the same. A client keeps its
 * number among all of its task, so that slices of a corpus do not overlap and
 * slots of a rate interleave. Pure. */
#ifndef PITWALL_LOAD_SHARE_H
#define PITWALL_LOAD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#define SHARE_AGENTS_MAX 64

/* Number index of `of` agents; of 0: alone. */
struct share {
    uint32_t index, of;
};

/* Whether the client of this number, over all tasks, is ours. */
static inline bool share_has(const struct share *s, uint32_t number)
{
    return s->of == 0 || number % s->of == s->index;
}

/* How many of the n clients from number first on are ours. */
static inline uint32_t share_count(const struct share *s, uint32_t first,
                                   uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += share_has(s, first + i);
    return count;
}

/* Whether what is done once (leading and trailing tasks) is ours to do. */
static inline bool share_is_first(const struct share *s)
{
    return s->index == 0;
}

#endif
