/* What a bulk's operations on one shard come to: each sees the documents as
 * the operations before it leave them, but only the last state of a document
 * is written. FTS5 wants its numbers in ascending order, so old versions are
 * all taken out before new ones are put in. */
#ifndef PITWALL_TARGET_RESOLVE_H
#define PITWALL_TARGET_RESOLVE_H

#include "target/shard_sql.h"

/* A document that the bulk touches. */
struct resolve_doc {
    struct batch_text key;
    struct batch_op *writer; /* who wrote it last; NULL: nobody in this bulk */
    int64_t old_n;           /* its number before the bulk; 0: none */
    uint64_t version;
    bool exists, drops; /* the old one is to be taken out */
};

struct resolve {
    struct shard *shard;
    struct resolve_doc *docs; /* [n] */
    uint32_t *slots;          /* [mask + 1] hash table of docs, from 1 */
    size_t n, mask;
};

/* Make room for n_ops operations. ERR_NOMEM. */
CHECKED enum err resolve_begin(struct resolve *r, struct shard *shard,
                               size_t n_ops, struct why *why);
void resolve_end(struct resolve *r);

/* The next operation: sets its end. Errors as of shard_prepare. */
CHECKED enum err resolve_op(struct resolve *r, struct batch_op *op,
                            struct why *why);

#endif
