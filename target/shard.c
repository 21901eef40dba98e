#include "target/shard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "target/disk.h"
#include "target/shard_sql.h"
#include "target/shard_tend.h"
#include "target/tokenizer.h"

/* Terms of a bulk are gathered in a hash table of this size before they become
 * a segment. */
#define HASH_BYTES  (8 << 20)
#define CACHE_KIB   8192
#define MERGE_AT    "16" /* segments of a level */
#define PARTS_BYTES (1u << 20)

static const char schema[] =
    "create table doc(n integer primary key, id blob, version integer not "
    "null, source blob not null);"
    "create unique index doc_id on doc(id) where id is not null;"
    "create table undo(n integer primary key, id blob, version integer not "
    "null, source blob not null);"
    "create table state(seq integer, first integer, last integer, docs "
    "integer, before integer, parts blob);"
    "insert into state values (0, 0, 0, 0, 0, x'');"
    "create virtual table fts using fts5(t, content='', "
    "tokenize='" TOKENIZER_NAME "');"
    /* Merging is ours (shard_tend), so that its time can be told. */
    "insert into fts(fts, rank) values ('automerge', 0), ('crisismerge', 64), "
    "('usermerge', " MERGE_AT ");";

static enum err primary(int rc, int sys)
{
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return ERR_NOMEM;
    case SQLITE_FULL:
        return ERR_NOSPACE;
    case SQLITE_IOERR:
        /* Under memory pressure its extended codes tell of it. */
        if (rc == SQLITE_IOERR_NOMEM)
            return ERR_NOMEM;
        return sys == ENOSPC || sys == EDQUOT ? ERR_NOSPACE : ERR_IO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_CORRUPT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return ERR_PERMISSION;
    default:
        return ERR_INVALID;
    }
}

enum err shard_error(struct shard *s, sqlite3 *db, int rc, struct why *why)
{
    enum err e = primary(rc, db ? sqlite3_system_errno(db) : 0);
    return err_set(why, e, "%s: %s", s->path,
                   e == ERR_NOMEM ? "the native limit is reached"
                   : db           ? sqlite3_errmsg(db)
                                  : sqlite3_errstr(rc));
}

static sqlite3 *owner(struct shard *s, sqlite3_stmt *stmt)
{
    return stmt ? sqlite3_db_handle(stmt) : s->writer;
}

sqlite3_stmt *shard_stmt(struct shard *s, enum shard_sql sql)
{
    return s->sql[sql];
}

enum err shard_step(struct shard *s, sqlite3_stmt *stmt, bool *row,
                    struct why *why)
{
    int rc = sqlite3_step(stmt);
    *row = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE
               ? ERR_OK
               : shard_error(s, owner(s, stmt), rc, why);
}

enum err shard_run(struct shard *s, enum shard_sql sql, struct why *why)
{
    bool row;
    enum err e = shard_step(s, s->sql[sql], &row, why);
    (void)sqlite3_reset(s->sql[sql]);
    return e;
}

void shard_abort(struct shard *s)
{
    for (size_t i = 0; i < SHARD_PIN; i++)
        (void)sqlite3_reset(s->sql[i]);
    /* After SQLITE_NOMEM or SQLITE_FULL SQLite may have rolled back itself. */
    if (!sqlite3_get_autocommit(s->writer) &&
        shard_run(s, SHARD_ROLLBACK, NULL))
        s->broken = true;
    s->stale = true;
}

enum err shard_transact(struct shard *s,
                        enum err (*step)(struct shard *s, struct why *why),
                        struct why *why)
{
    enum err e = shard_run(s, SHARD_BEGIN, why);
    if (!e)
        e = step(s, why);
    if (!e)
        e = shard_run(s, SHARD_COMMIT, why);
    if (e)
        shard_abort(s);
    return e;
}

/* After each commit: pages in the log. Instead of SQLite's own checkpoint,
 * which cannot be timed. */
static int logged(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct shard *s = ctx;
    (void)db, (void)name;
    s->log_pages = pages;
    return SQLITE_OK;
}

static enum err exec(struct shard *s, sqlite3 *db, const char *sql,
                     struct why *why)
{
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return rc ? shard_error(s, db, rc, why) : ERR_OK;
}

static enum err connect(struct shard *s, sqlite3 **db, struct why *why)
{
    char pragmas[256];
    int rc = sqlite3_open_v2(
        s->path, db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!rc)
        rc = sqlite3_extended_result_codes(*db, 1);
    if (!rc)
        rc = tokenizer_register(*db);
    if (rc)
        return shard_error(s, *db, rc, why);
    /* NORMAL: a commit survives the process; a flush survives the machine.
     * FULL: so does a commit. */
    (void)snprintf(pragmas, sizeof pragmas,
                   "pragma journal_mode = wal; pragma synchronous = %s;"
                   "pragma secure_delete = off; pragma temp_store = memory;"
                   "pragma cache_size = -%d; pragma wal_autocheckpoint = 0",
                   disk_is_durable() ? "full" : "normal", CACHE_KIB);
    return exec(s, *db, pragmas, why);
}

static enum err prepare(struct shard *s, sqlite3 *db, size_t begin, size_t end,
                        struct why *why)
{
    static const char *const texts[] = {
#define X(name, text) text,
        SHARD_WRITES(X) SHARD_READS(X)
#undef X
    };
    for (size_t i = begin; i < end; i++) {
        int rc = sqlite3_prepare_v3(db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &s->sql[i], NULL);
        if (rc)
            return shard_error(s, db, rc, why);
    }
    return ERR_OK;
}

static enum err make_schema(struct shard *s, struct why *why)
{
    char sizes[96];
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(s->writer, "pragma user_version", -1, &stmt, NULL);
    bool row = false;
    enum err e = rc ? shard_error(s, s->writer, rc, why)
                    : shard_step(s, stmt, &row, why);
    int version = row ? sqlite3_column_int(stmt, 0) : 0;
    (void)sqlite3_finalize(stmt);
    if (e || version == 1)
        return e;
    if (version)
        return err_set(why, ERR_CORRUPT, "%s: version %d, accepted is 1",
                       s->path, version);
    e = exec(s, s->writer, "begin immediate", why);
    if (!e)
        e = exec(s, s->writer, schema, why);
    (void)snprintf(sizes, sizeof sizes,
                   "insert into fts(fts, rank) values ('hashsize', %d)",
                   HASH_BYTES);
    if (!e)
        e = exec(s, s->writer, sizes, why);
    return e ? e : exec(s, s->writer, "pragma user_version = 1; commit", why);
}

static enum err load_state(struct shard *s, struct why *why)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    int rc = sqlite3_prepare_v2(s->writer,
                                "select seq, first, last, docs, before, parts, "
                                "exists (select 1 from undo) from state",
                                -1, &stmt, NULL);
    enum err e = rc ? shard_error(s, s->writer, rc, why)
                    : shard_step(s, stmt, &row, why);
    if (!e && row) {
        s->now.seq = (uint64_t)sqlite3_column_int64(stmt, 0);
        s->now.first = sqlite3_column_int64(stmt, 1);
        s->now.last = sqlite3_column_int64(stmt, 2);
        s->now.docs = (uint64_t)sqlite3_column_int64(stmt, 3);
        s->now.before = (uint64_t)sqlite3_column_int64(stmt, 4);
        size_t bytes = (size_t)sqlite3_column_bytes(stmt, 5);
        s->n_parts = bytes / sizeof *s->parts;
        s->parts = bytes ? malloc(bytes) : NULL;
        if (s->parts)
            memcpy(s->parts, sqlite3_column_blob(stmt, 5), bytes);
        else if (bytes)
            e = err_set(why, ERR_NOMEM, "%s: no memory", s->path);
        s->has_undo = sqlite3_column_int(stmt, 6);
    } else if (!e) {
        e = err_set(why, ERR_CORRUPT, "%s: it has no state", s->path);
    }
    (void)sqlite3_finalize(stmt);
    return e;
}

/* FTS5 keeps totals and positions in memory, and a failed allocation can leave
 * them behind when the transaction is long undone: it then finds corruption
 * where there is none (SQLite 3.40.1, seen by failing every allocation once). A
 * new connection knows only what is in the file. */
enum err shard_ready(struct shard *s, struct why *why)
{
    if (s->broken)
        return err_set(why, ERR_STATE,
                       "%s: what could not be undone waits for a restart",
                       s->path);
    if (!s->stale)
        return ERR_OK;
    for (size_t i = 0; i < SHARD_PIN; i++) {
        (void)sqlite3_finalize(s->sql[i]);
        s->sql[i] = NULL;
    }
    (void)sqlite3_close(s->writer);
    s->writer = NULL;
    enum err e = connect(s, &s->writer, why);
    if (!e)
        e = prepare(s, s->writer, 0, SHARD_PIN, why);
    if (!e)
        (void)sqlite3_wal_hook(s->writer, logged, s);
    s->stale = e != ERR_OK;
    return e;
}

enum err shard_open(struct shard **out, const struct shard_config *config,
                    struct why *why)
{
    unsigned busiest;
    *out = NULL;
    struct shard *s = calloc(1, sizeof *s);
    if (s)
        s->path = strdup(config->path);
    enum err e = s && s->path
                     ? ERR_OK
                     : err_set(why, ERR_NOMEM, "no memory for a shard");
    if (!e) {
        s->config = *config;
        e = connect(s, &s->writer, why);
    }
    if (!e)
        e = make_schema(s, why);
    if (!e)
        e = connect(s, &s->reader, why);
    if (!e)
        e = prepare(s, s->writer, 0, SHARD_PIN, why);
    if (!e)
        e = prepare(s, s->reader, SHARD_PIN, SHARD_SQL_LAST, why);
    if (!e)
        e = load_state(s, why);
    if (!e)
        e = shard_segments(s, &busiest, why);
    if (!e)
        e = shard_refresh(s, why);
    if (e) {
        shard_close(s);
        return e;
    }
    (void)sqlite3_wal_hook(s->writer, logged, s);
    s->counts.docs = s->now.docs;
    s->counts.refresh_count = s->counts.refresh_ns = 0;
    *out = s;
    return ERR_OK;
}

void shard_close(struct shard *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < SHARD_SQL_LAST; i++)
        (void)sqlite3_finalize(s->sql[i]);
    (void)sqlite3_close(s->reader);
    (void)sqlite3_close(s->writer);
    free(s->parts);
    free(s->next_parts);
    free(s->path);
    free(s);
}

uint64_t shard_seq(const struct shard *s)
{
    return s->now.seq;
}

const struct shard_part *shard_parts(const struct shard *s, size_t *n)
{
    *n = s->n_parts;
    return s->parts;
}

struct shard_counts *shard_counts(struct shard *s)
{
    return &s->counts;
}

uint64_t shard_store_bytes(const struct shard *s)
{
    static const char *const ends[] = {"", "-wal"};
    char path[4096];
    uint64_t sum = 0;
    for (size_t i = 0; i < 2; i++) {
        struct stat st;
        (void)snprintf(path, sizeof path, "%s%s", s->path, ends[i]);
        if (!stat(path, &st))
            sum += (uint64_t)st.st_size;
    }
    return sum;
}
