/* Where a scroll stands: kept by nobody but the client, in the id that it sends
 * back, which holds the search itself. So a scroll costs nothing between its
 * pages and needs no end; its pages come in the order of the index's shards and
 * of the documents' numbers, each from the snapshot of its own time. Pure. */
#ifndef PITWALL_TARGET_SCROLL_H
#define PITWALL_TARGET_SCROLL_H

#include "common/err.h"
#include "target/route.h"

#define SCROLL_BODY_MAX 2000u /* bytes of a search that is scrolled */
#define SCROLL_ID_BYTES (2 * (ROUTE_NAME_MAX + SCROLL_BODY_MAX + 96))

struct scroll {
    char index[ROUTE_NAME_MAX + 1];
    uint32_t size;  /* hits of a page */
    uint32_t shard; /* where the next page begins: ... */
    int64_t after;  /* ... behind this document of that shard */
    uint64_t total; /* hits of all pages, as the first one counted */
    char body[SCROLL_BODY_MAX + 1];
    size_t body_len;
};

/* Its id, letters and digits, ended. */
void scroll_write(const struct scroll *s, char id[SCROLL_ID_BYTES]);

/* An id, as a client sends it. ERR_INVALID: is none of ours. */
CHECKED enum err scroll_read(struct scroll *s, const char *id, size_t len,
                             struct why *why);

/* The id in a request for the next page: {"scroll_id": "..."}, beside "scroll".
 * Errors as scroll_read. */
CHECKED enum err scroll_parse(struct scroll *s, const char *text, size_t len,
                              struct why *why);

#endif
