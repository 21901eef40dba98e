/* One index: its name, settings and shards, in a folder of its own.
 *
 *   NAME/index.json   settings; written last, removed first: without it the
 *                     folder is an index half made or half deleted
 *   NAME/fields       fields.h
 *   NAME/0.db ...     shards
 *
 * Bulks hold the write lock, one at a time, and spread their parts over the
 * threads of the crew; searches hold the search lock. */
#ifndef PITWALL_TARGET_INDEX_H
#define PITWALL_TARGET_INDEX_H

#include <pthread.h>

#include "target/creation.h"
#include "target/crew.h"
#include "target/shard_read.h"

struct index {
    char *name, *path;
    char *body;    /* of its creation, as JSON; "{}" when there was none; under
                      the search lock */
    uint64_t seed; /* its identity, and of its made ids */
    uint32_t n_shards;
    struct shard **shards; /* [n_shards] */
    struct fields *fields;
    pthread_mutex_t write, search;
    _Atomic uint64_t refresh_interval_ns, refreshed_ns;
    _Atomic uint32_t next_shard; /* of a document without an id */
    size_t first_part;           /* of the bulk that holds the write lock */
    bool dropped;                /* under both locks */
    _Atomic uint32_t refs;       /* indices.h */
};

/* Make the folder path with everything in it. ERR_INVALID: the mapping;
 * ERR_NOMEM, ERR_NOSPACE, ERR_IO. Owns: index_close. */
CHECKED enum err index_create(struct index **out, const char *path,
                              const char *name, const struct creation *c,
                              struct why *why);

/* Open it. ERR_NOTFOUND: it was not completed; ERR_CORRUPT. */
CHECKED enum err index_open(struct index **out, const char *path,
                            const char *name, struct why *why);
void index_close(struct index *x);

/* Delete the folder of an index, whole or not. */
CHECKED enum err index_remove(const char *path, struct why *why);

/* Add a mapping's fields, and show them from now on. ERR_INVALID: the mapping,
 * or a field of another kind; as fields_map. */
CHECKED enum err index_map(struct index *x, const struct jv *mapping,
                           struct why *why);

/* A copy of its body, malloc'ed; NULL: no memory. */
char *index_body(struct index *x);

/* Make what was committed visible to searches; make it durable, too; merge
 * until each shard has at most so many segments. */
CHECKED enum err index_refresh(struct index *x, struct why *why);
CHECKED enum err index_flush(struct index *x, struct why *why);
CHECKED enum err index_merge(struct index *x, struct crew *crew,
                             unsigned max_segments, struct why *why);

/* Refresh when its interval has passed; now in CLOCK_MONOTONIC. */
void index_tick(struct index *x, uint64_t now_ns);

#endif
