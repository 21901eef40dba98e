/* One search over the snapshots of indices: the best hits of all shards, with
 * their documents, in Elasticsearch's shape. Each shard scores by its own
 * statistics, as Elasticsearch does. */
#ifndef PITWALL_TARGET_SEARCH_H
#define PITWALL_TARGET_SEARCH_H

#include <stdio.h>

#include "target/index.h"
#include "target/query.h"
#include "target/scroll.h"

struct search {
    struct index **list; /* [n], sorted here */
    size_t n;
    const char *body; /* [body_len] */
    size_t body_len;
    const char *from, *size; /* of the URL; NULL: not given */
    /* A page of a scroll over the one index of the list, which it moves on; its
     * body is the search's. NULL: none. */
    struct scroll *scroll;
};

/* Search and write the answer to out. ERR_INVALID, ERR_RANGE, ERR_UNSUPPORTED:
 * the query; ERR_NOMEM: the native limit; ERR_IO, ERR_CORRUPT: a shard. */
CHECKED enum err search_write(const struct search *s, FILE *out,
                              struct why *why);

/* Let it be the first page of a scroll (borrowed). ERR_UNSUPPORTED: not one
 * index; ERR_RANGE: a body of more than SCROLL_BODY_MAX bytes. */
CHECKED enum err search_scroll(struct search *s, struct scroll *scroll,
                               struct why *why);

/* Only count: the body may hold nothing but a query. */
CHECKED enum err search_count(const struct search *s, FILE *out,
                              struct why *why);

#endif
