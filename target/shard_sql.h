/* What the files of a shard share: its connections and statements. */
#ifndef PITWALL_TARGET_SHARD_SQL_H
#define PITWALL_TARGET_SHARD_SQL_H

#include <sqlite3.h>

#include "target/shard.h"

#define SHARD_WRITES(X)                                                        \
    X(BEGIN, "begin immediate")                                                \
    X(SAVE, "savepoint bulk") /* FTS5 writes what it holds */                  \
    X(COMMIT, "commit")                                                        \
    X(ROLLBACK, "rollback")                                                    \
    X(BY_ID, "select n, version, source from doc where id = ?1")               \
    X(BY_N, "select n, version, source, id from doc where n = ?1")             \
    X(ADD, "insert into doc(n, id, version, source) values (?1, ?2, ?3, ?4)")  \
    X(DROP, "delete from doc where n = ?1")                                    \
    X(KEEP, "insert into undo select n, id, version, source from doc "         \
            "where n = ?1")                                                    \
    X(FORGET, "delete from undo")                                              \
    X(TERMS, "insert into fts(rowid, t) values (?1, ?2)")                      \
    X(UNTERMS, "insert into fts(fts, rowid, t) values ('delete', ?1, ?2)")     \
    X(STATE, "update state set seq = ?1, first = ?2, last = ?3, docs = ?4, "   \
             "before = ?5, parts = ?6")                                        \
    X(NEWER, "select n, source from doc where n > ?1 order by n")              \
    X(DROP_NEWER, "delete from doc where n > ?1")                              \
    X(OLDER, "select n, source from undo order by n")                          \
    X(RESTORE, "insert into doc select n, id, version, source from undo")      \
    X(SEGMENTS, "select block from fts_data where id = 10")                    \
    X(MERGE, "insert into fts(fts, rank) values ('merge', ?1)")                \
    X(USERMERGE, "insert into fts(fts, rank) values ('usermerge', ?1)")

#define SHARD_READS(X)                                                         \
    X(PIN, "begin")                                                            \
    X(UNPIN, "commit")                                                         \
    X(LOOK, "select docs from state")                                          \
    X(MATCH, "select rowid, -bm25(fts) from fts where fts match ?1")           \
    X(COUNT, "select count(*) from fts where fts match ?1")                    \
    X(ALL, "select n from doc order by n limit ?1")                            \
    X(MATCH_FROM, "select rowid from fts where fts match ?3 and rowid > ?1 "   \
                  "order by rowid limit ?2")                                   \
    X(ALL_FROM, "select n from doc where n > ?1 order by n limit ?2")          \
    X(FETCH, "select n, version, source, id from doc where n = ?1")

enum shard_sql {
#define X(name, text) SHARD_##name,
    SHARD_WRITES(X) SHARD_READS(X)
#undef X
        SHARD_SQL_LAST
};

/* What the table state holds, and a bulk changes. */
struct shard_state {
    uint64_t seq;          /* commits */
    int64_t first, last;   /* documents' numbers used before it, and now */
    uint64_t docs, before; /* documents now, and before it */
};

struct shard {
    struct shard_config config;
    char *path;
    sqlite3 *writer, *reader;
    sqlite3_stmt *sql[SHARD_SQL_LAST];
    struct shard_state now, next; /* committed, prepared */
    struct shard_part *parts, *next_parts;
    size_t n_parts, n_next_parts;
    size_t n_written, n_deleted; /* operations that were prepared */
    uint64_t began_ns, worked_ns;
    bool has_undo; /* the table may hold something */
    bool broken, pinned;
    bool stale;    /* the writer is to be opened again */
    int log_pages; /* of the WAL, as of the last commit */
    uint64_t visible;
    struct shard_counts counts;
};

/* Step a prepared statement to its end and reset it. */
CHECKED enum err shard_run(struct shard *s, enum shard_sql sql,
                           struct why *why);

/* The statement, bound from nothing; its parameters are set by the caller. */
sqlite3_stmt *shard_stmt(struct shard *s, enum shard_sql sql);

/* Step for a row: *row says whether there is one. Reset it afterwards. */
CHECKED enum err shard_step(struct shard *s, sqlite3_stmt *stmt, bool *row,
                            struct why *why);

/* Translate SQLite's code. */
enum err shard_error(struct shard *s, sqlite3 *db, int rc, struct why *why);

/* Undo the open transaction, whatever state SQLite left it in. */
void shard_abort(struct shard *s);

/* Before anything is written: open the writer again if a failure left it stale.
 * ERR_STATE: the shard is broken. */
CHECKED enum err shard_ready(struct shard *s, struct why *why);

/* Set segments from FTS5's structure record; *busiest: most of one level, a
 * level that is being merged counts as many. */
CHECKED enum err shard_segments(struct shard *s, unsigned *busiest,
                                struct why *why);

/* Run the write transaction around step, committed or aborted as a whole. */
CHECKED enum err shard_transact(struct shard *s,
                                enum err (*step)(struct shard *s,
                                                 struct why *why),
                                struct why *why);

#endif
