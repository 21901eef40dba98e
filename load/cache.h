/* The cache of corpora on this machine: each document set in bulk form, made
 * once, under the name of what defines it. */
#ifndef PITWALL_LOAD_CACHE_H
#define PITWALL_LOAD_CACHE_H

#include <stdbool.h>

#include "load/bulk_file.h"
#include "load/corpus_news.h"
#include "tracks/plan.h"

#define CACHE_LIMIT_BYTES ((uint64_t)16 << 30)

struct cache_config {
    const char *dir;      /* NULL: $XDG_CACHE_HOME/pitwall, ~/.cache/pitwall */
    uint64_t limit_bytes; /* of all corpora together */
    /* Asked now and then: give up? May be NULL. */
    bool (*stopped)(void *ctx);
    /* Told as it gets on, and only then. May be NULL. */
    void (*told)(void *ctx, const struct corpus_news *news);
    void *ctx;
};

/* The document set in bulk form: from the cache, or made now and put there.
 * Where another process is making it, wait for that. When the cache would grow
 * beyond its limit, the corpora that were not used for longest go first.
 * Errors  those of corpus_open (tracks). ERR_RANGE: larger than the limit.
 *         ERR_NOSPACE and others of writing, with the path. ERR_INTERRUPTED:
 *         stopped; nothing is left. Owns: *out, for bulk_file_close. */
CHECKED enum err cache_get(struct bulk_file **out,
                           const struct cache_config *config,
                           const struct plan_documents *documents,
                           struct why *why);

#endif
