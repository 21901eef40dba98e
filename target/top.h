/* The best hits of a search so far: a heap with the worst on top, bounded. */
#ifndef PITWALL_TARGET_TOP_H
#define PITWALL_TARGET_TOP_H

#include <stddef.h>
#include <stdint.h>

struct top_hit {
    double score;
    uint32_t place; /* of its shard among those that are searched */
    int64_t n;      /* the document's number in the shard */
};

struct top {
    struct top_hit *hits; /* [most], the caller's */
    size_t n, most;
    uint32_t place; /* of the shard that is being searched */
};

/* Offer a hit: kept when it is among the best `most`. Of equal scores the one
 * of the lower place, then the lower number is better. */
void top_offer(struct top *t, struct top_hit hit);

/* Best first; nothing may be offered afterwards. */
void top_sort(struct top *t);

#endif
