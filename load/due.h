/* Which lane is due next: a binary heap of lanes by time, of fixed capacity. */
#ifndef PITWALL_LOAD_DUE_H
#define PITWALL_LOAD_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct due_entry {
    uint64_t at_ns;
    uint32_t lane;
};

/* entries [cap] are the caller's; every lane stands in it at most once, so that
 * cap is the number of lanes. */
struct due {
    struct due_entry *entries;
    size_t n, cap;
};

/* Add a lane. */
void due_push(struct due *d, uint64_t at_ns, uint32_t lane);

/* The earliest time, UINT64_MAX when empty. */
uint64_t due_first(const struct due *d);

/* Take the earliest lane. Not when empty. */
uint32_t due_pop(struct due *d);

#endif
