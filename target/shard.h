/* One shard of an index: a SQLite file with the documents, and FTS5's inverted
 * index over them. A bulk's part is prepared (everything but the commit), then
 * committed together with the parts of other shards; what a shard committed
 * last can be undone, so that a bulk is whole or not there at all, over all
 * shards, also when the process dies between two commits.
 *
 *   writing: begin -> prepare -> commit [-> undo]     by one thread at a time
 *                        `-----> rollback             (the index's write lock)
 *   reading: a snapshot, moved by shard_refresh       by one thread at a time
 *                                                     (its search lock) */
#ifndef PITWALL_TARGET_SHARD_H
#define PITWALL_TARGET_SHARD_H

#include <stdatomic.h>

#include "target/batch.h"
#include "target/fields.h"

struct shard;

struct shard_config {
    const char *path; /* of the file; it is made when it is not there */
    uint32_t number;
    uint64_t seed; /* of the index's made ids */
    struct fields *fields;
};

/* A part of a bulk: which shard of which index, at which of its commits. */
struct shard_part {
    uint64_t index_seed;
    uint64_t seq;
    uint32_t shard, unused;
};

/* Totals since the shard was opened (times) and levels. Thread: any. */
/* clang-format off */
#define SHARD_COUNTS(X)                                                        \
    X(docs)     /* level: committed */                                         \
    X(deleted)  /* documents, by a deletion */                                 \
    X(segments) /* level: FTS5's b-trees */                                    \
    X(index_count) X(index_ns) /* operations, and what their bulks took */     \
    X(merging)  /* level: merges under way */                                  \
    X(merge_count) X(merge_ns) X(refresh_count) X(refresh_ns)                  \
    X(flush_count) X(flush_ns) X(search_count) X(search_ns)
/* clang-format on */

struct shard_counts {
#define X(name) _Atomic uint64_t name;
    SHARD_COUNTS(X)
#undef X
};

/* Open it with a snapshot of what is there. ERR_CORRUPT, ERR_NOMEM: the native
 * limit, ERR_NOSPACE, ERR_IO; each names the file. Owns: shard_close (NULL is
 * fine). */
CHECKED enum err shard_open(struct shard **out,
                            const struct shard_config *config, struct why *why);
void shard_close(struct shard *s);

/* Its number of commits, and the parts of the bulk that the last one belongs
 * to (n 0: none that could be half-done). Valid until the next commit. */
uint64_t shard_seq(const struct shard *s);
const struct shard_part *shard_parts(const struct shard *s, size_t *n);

/* Do the operations ops[n] of one bulk, whose parts are all of parts[n_parts],
 * and set how each ended. Failed: nothing of it is left. ERR_NOMEM: the native
 * limit; ERR_NOSPACE: the disk; ERR_STATE: the shard is broken. */
struct shard_work {
    struct batch_op **ops;
    size_t n;
    const struct shard_part *parts;
    size_t n_parts;
    const atomic_bool *given_up; /* once set: ERR_INTERRUPTED; NULL: never */
};
CHECKED enum err shard_prepare(struct shard *s, const struct shard_work *work,
                               struct why *why);

/* Commit what was prepared; on failure it is rolled back. */
CHECKED enum err shard_commit(struct shard *s, struct why *why);

/* Forget what was prepared. */
void shard_rollback(struct shard *s);

/* Take back the last commit, which has parts. Failed: the shard is broken and
 * takes no more bulks until it is opened again, which tries once more. */
CHECKED enum err shard_undo(struct shard *s, struct why *why);

/* Its counts, and the bytes of its files. Thread: any. */
struct shard_counts *shard_counts(struct shard *s);
uint64_t shard_store_bytes(const struct shard *s);

#endif
