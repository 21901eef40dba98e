/* The reads of one run, drawn one by one in random order without putting them
 * back. Their sizes are known by class only: each read has its class's mean. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_BAG_H
#define PITWALL_TESTS_BENCH_FIDELITY_BAG_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/rand.h"
#include "tests/bench/fidelity/row.h"

#define BAG_NONE        SIZE_MAX
#define BAG_PERSISTENCE 0.55

struct bag {
    const struct size_class *classes; /* [n] borrowed */
    uint64_t *left;                   /* [n] reads */
    size_t n;
    uint64_t count; /* reads left in all */
    struct rand rand;
};

/* A bag of the row's reads, drawn from by chance of seed. ERR_NOMEM. */
CHECKED enum err bag_open(struct bag *bag, const struct row *row, uint64_t seed,
                          struct why *why);
void bag_close(struct bag *bag);

/* Put all reads back. */
void bag_fill(struct bag *bag);

/* A read of a connection, of 1..limit bytes, limit > 0; last (BAG_NONE at
 * first) is the connection's own. Every other read or so is of the size of the
 * one before it, as long as there is one: a queue that is drained, a loop that
 * is late. The part BAG_PERSISTENCE is the one with which adaptive predictors
 * allocate what they did in the reference.
 *
 * A read that is larger is cut by the limit
 * (the request ends, or the buffer does): then a read of about limit bytes is
 * taken for it if there is one, else a smaller one, else the limit itself, and
 * the large one stays. An empty bag is filled again. */
uint32_t bag_draw(struct bag *bag, uint32_t limit, size_t *last);

#endif
