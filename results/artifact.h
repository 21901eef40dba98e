/* A trial's artifacts: what is kept of its chosen attempt beside its figures,
 * such as the collector's log. */
#ifndef PITWALL_RESULTS_ARTIFACT_H
#define PITWALL_RESULTS_ARTIFACT_H

#include "results/db.h"
#include "results/store.h"

struct artifact {
    const char *name;
    const void *content; /* [bytes], as its digest has confirmed */
    size_t bytes;
    const char *sha256; /* of content, in hexadecimal digits */
};

/* Told of one artifact, which lives until it returns. */
typedef enum err artifact_take(void *ctx, const struct artifact *artifact,
                               struct why *why);

/* Add one to an attempt, within the caller's transaction.
 * Errors  ERR_EXISTS: it has one of that name; else as db_run. */
CHECKED enum err artifact_add(struct db *db, int64_t attempt, const char *name,
                              const void *content, size_t bytes,
                              struct why *why);

/* Hand the artifacts of trial ("EXPERIMENT:TID" or an own id, as answer_show)
 * to take, by name; name: only this one, NULL: all. take's failure ends it.
 * Errors  ERR_NOTFOUND: no such trial, or no such artifact (says which there
 *         are); ERR_CORRUPT: one does not match its digest; take's own. */
CHECKED enum err artifact_each(struct store *store, const char *trial,
                               const char *name, artifact_take *take, void *ctx,
                               struct why *why);

#endif
