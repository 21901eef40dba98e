/* SQLite behind one small door: connections, transactions and prepared
 * statements. db.c is the sole owner of <sqlite3.h>; everything else in
 * results/ speaks SQL through this header. */
#ifndef PITWALL_RESULTS_DB_H
#define PITWALL_RESULTS_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct db;
struct db_stmt;

/* WRITE creates the file; READ never writes; GUARDED is READ for statements of
 * strangers: only SELECTs and harmless pragmas pass, every size is limited. */
enum db_mode { DB_READ, DB_WRITE, DB_GUARDED };

struct db_options {
    enum db_mode mode;
    int busy_ms;       /* how long a lock of another is waited for */
    uint64_t limit_ns; /* GUARDED: longest time of one statement; 0: none */
};

enum db_type { DB_NULL, DB_INT, DB_REAL, DB_TEXT, DB_BLOB };

/* A value going in (borrowed until the statement's next step) or coming out
 * (valid until it). Texts that come out end with NUL. */
struct db_value {
    enum db_type type;
    int64_t i;
    double f;
    const void *data;
    size_t len;
};

#define DB_I(v)    ((struct db_value){.type = DB_INT, .i = (int64_t)(v)})
#define DB_F(v)    ((struct db_value){.type = DB_REAL, .f = (v)})
#define DB_T(s)    db_text(s)
#define DB_B(p, n) ((struct db_value){.type = DB_BLOB, .data = (p), .len = (n)})

/* The values of a call and their number: DB_VALUES(DB_I(1), DB_T("x")). */
#define DB_VALUES(...)                                                         \
    (const struct db_value[]){__VA_ARGS__},                                    \
        sizeof((const struct db_value[]){__VA_ARGS__}) /                       \
            sizeof(struct db_value)
#define DB_NONE NULL, 0

/* Open the database file at path. WAL, synchronous FULL, foreign keys, no
 * trust in the schema's functions. A WAL database on a medium where nothing
 * can be written is read as it stands when it has no -wal file.
 * Errors  ERR_NOTFOUND, ERR_PERMISSION, ERR_CORRUPT: not a database; ERR_BUSY;
 *         ERR_NOSPACE; each names the path.
 * Owns    *out is the caller's, for db_close (NULL is fine).
 * Thread  opener only. */
CHECKED enum err db_open(struct db **out, const char *path,
                         const struct db_options *options, struct why *why);
void db_close(struct db *db);

/* Begin a transaction, for writing (waits for the lock) or for a consistent
 * view. db_end commits when e is ERR_OK, else rolls back; it returns e, or the
 * commit's own failure. */
CHECKED enum err db_begin(struct db *db, bool write, struct why *why);
CHECKED enum err db_end(struct db *db, enum err e, struct why *why);

/* Run one statement with its values. out receives the first column of its
 * first row, and ERR_NOTFOUND stands for no row; NULL: rows are ignored. */
CHECKED enum err db_run(struct db *db, const char *sql,
                        const struct db_value *values, size_t n, int64_t *out,
                        struct why *why);

/* Prepare one statement with its first values (db_bind gives others later).
 * ERR_INVALID: SQLite does not understand it; ERR_USAGE: it would write
 * (GUARDED), or it is not exactly one statement. Owns: *out, for db_finish
 * (NULL is fine), which keeps what SQLite made of it for the next one of the
 * same text (not GUARDED). */
CHECKED enum err db_prepare(struct db *db, struct db_stmt **out,
                            const char *sql, const struct db_value *values,
                            size_t n, struct why *why);
void db_finish(struct db_stmt *stmt);

/* Start over with these values. A value that cannot be bound fails the next
 * step. */
void db_bind(struct db_stmt *stmt, const struct db_value *values, size_t n);

/* The next row, if any. ERR_TIMEOUT: limit_ns has passed. */
CHECKED enum err db_step(struct db_stmt *stmt, bool *row, struct why *why);

/* Column i of the current row; its name, NULL past the last column (valid
 * until db_finish). */
struct db_value db_column(struct db_stmt *stmt, size_t i);
const char *db_column_name(struct db_stmt *stmt, size_t i);

/* A text as a value; NULL becomes DB_NULL. */
struct db_value db_text(const char *text);

#endif
