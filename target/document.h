/* Single documents: read, written and deleted by their ids, as a bulk of one
 * operation that does not pass through the heap. */
#ifndef PITWALL_TARGET_DOCUMENT_H
#define PITWALL_TARGET_DOCUMENT_H

#include <stdio.h>

#include "target/bulk_action.h"
#include "target/indices.h"

struct document {
    struct indices *indices;
    const char *index, *id; /* id "": the index makes one */
    const char *body;       /* [body_len] */
    size_t body_len;
};

/* Write its newest state to out, and set *status (200, 404). ERR_NOTFOUND: no
 * such index; ERR_NOMEM: the native limit; ERR_IO, ERR_CORRUPT: a shard. */
CHECKED enum err document_read(const struct document *d, FILE *out,
                               unsigned *status, struct why *why);

/* Index, create or delete it: the answer to out, *status 200, 201, 404, or 409
 * (then why says so, and out has nothing). ERR_INVALID: the document or a
 * name; as above, and ERR_NOSPACE, ERR_STATE as of commit_batch. */
CHECKED enum err document_write(const struct document *d, enum bulk_op op,
                                FILE *out, unsigned *status, struct why *why);

#endif
