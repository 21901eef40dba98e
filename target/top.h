/* The best hits of a search so far: a heap with the worst on top, bounded. */
#ifndef PITWALL_TARGET_TOP_H
#define PITWALL_TARGET_TOP_H

#include <stddef.h>
#include <stdint.h>

struct top_hit {
    double score;
    uint32_t shard;
    int64_t n; /* the document's number in it */
};

struct top {
    struct top_hit *hits; /* [most], the caller's */
    size_t n, most;
};

/* Offer a hit: kept when it is among the best `most`. Of equal scores the one
 * of the lower shard, then the lower number is better. */
void top_offer(struct top *t, struct top_hit hit);

/* Best first; nothing may be offered afterwards. */
void top_sort(struct top *t);

#endif
