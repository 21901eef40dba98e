/* One HTTP response: built in pages of the managed heap (or standing in memory
 * of the program), then given to the socket piece by piece. */
#ifndef PITWALL_TARGET_REPLY_H
#define PITWALL_TARGET_REPLY_H

#include "target/out.h"
#include "target/pages.h"

#define REPLY_HEAD_MAX 320u

struct reply {
    unsigned status;           /* 0: none */
    char head[REPLY_HEAD_MAX]; /* HTTP head, and what stands before the pages */
    uint32_t head_len;
    heap_ref *pages; /* [n_pages], native list kept for the next response */
    uint32_t n_pages, cap;
    uint64_t body_len;
    const char *fixed; /* the body, when it is not in pages; borrowed */
    bool no_body;      /* to HEAD: head only */
    bool plain;        /* text, not JSON; set before reply_seal */
    uint64_t sent;     /* of head and body */
    uint64_t docs, docs_failed; /* items 2xx, and others */
};

/* Append to the body. False: out of memory. data is native; every pointer of m
 * may die. */
CHECKED bool reply_put(struct reply *r, struct pages *pages, struct mutator *m,
                       const char *data, size_t len);

/* Set the whole body from o. False: out of memory, or o was cut. */
CHECKED bool reply_from(struct reply *r, struct pages *pages, struct mutator *m,
                        const struct out *o);

/* Write the head, after which nothing is added; lead (short, may be "") stands
 * before the body. close: the connection ends after it. */
void reply_seal(struct reply *r, unsigned status, const char *lead, bool close);

/* Copy the next bytes to be sent, at most size; 0: all were sent. */
size_t reply_fill(const struct reply *r, const struct mutator *m, char *to,
                  size_t size);

/* Drop the body and be empty; pages go back. Call reply_fini at the end. */
void reply_clear(struct reply *r, struct pages *pages, struct mutator *m);

/* Free the native list of a cleared reply. */
void reply_fini(struct reply *r);

#endif
