/* Reading one shard's snapshot. */
#ifndef PITWALL_TARGET_SHARD_READ_H
#define PITWALL_TARGET_SHARD_READ_H

#include "target/shard.h"
#include "target/top.h"

/* Documents in the snapshot. */
uint64_t shard_visible(const struct shard *s);

/* Add the number of documents that expr (FTS5's query language; NULL: all)
 * matches to *total, and offer them to top with their bm25 (1 when all match).
 * ERR_NOMEM: the native limit; ERR_INVALID: FTS5 does not take the
 * expression. */
CHECKED enum err shard_search(struct shard *s, const char *expr,
                              struct top *top, uint64_t *total,
                              struct why *why);

/* Offer top the documents that expr matches (as above) with numbers above
 * after, lowest first, until it is full. Errors as above. */
CHECKED enum err shard_scroll(struct shard *s, const char *expr, int64_t after,
                              struct top *top, struct why *why);

/* A document of the snapshot; texts are valid until the next call. */
struct shard_doc {
    char made_id[DOCID_MADE];
    struct batch_text id, source;
    uint64_t version;
};

/* A document as it was committed last, by its id or, if there is none of that,
 * by the number n (0: none) that a made id tells; doc->id is not set. For who
 * holds the index's write lock, until shard_newest_done. ERR_NOTFOUND. */
CHECKED enum err shard_newest(struct shard *s, const char *id, int64_t n,
                              struct shard_doc *doc, struct why *why);
void shard_newest_done(struct shard *s);

/* ERR_NOTFOUND: it is not in the snapshot. */
CHECKED enum err shard_fetch(struct shard *s, int64_t n, struct shard_doc *doc,
                             struct why *why);

#endif
