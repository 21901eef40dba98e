#include "results/db.h"

#include <assert.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

#define PATH_BYTES     4096
#define PROGRESS_OPS   10000 /* some 0.1 ms between two looks at the clock */
#define GUARDED_LENGTH (64 << 20) /* longest text or blob of a statement */

#define KEPT_MAX  512u /* places; the writer has some 60 statements */
#define KEPT_NEXT 8u   /* places that a text may have, from its hash's on */

struct db {
    sqlite3 *sql;
    /* Statements that are done with, for the next ones of the same texts: each
     * is near the place of its text's hash, the latest stays. */
    sqlite3_stmt *kept[KEPT_MAX];
    struct db_options options;
    uint64_t due_ns; /* end of the guarded statement's time */
    char path[PATH_BYTES];
};

struct db_stmt {
    struct db *db;
    sqlite3_stmt *sql;
    int bound; /* SQLite's complaint about the values, told at the next step */
};

static enum err from_primary(int rc, int sys)
{
    switch (rc) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    case SQLITE_FULL:
        return ERR_NOSPACE;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return ERR_PERMISSION;
    case SQLITE_AUTH:
        return ERR_USAGE;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_CORRUPT;
    case SQLITE_NOMEM:
        return ERR_NOMEM;
    case SQLITE_INTERRUPT:
        return ERR_TIMEOUT;
    case SQLITE_TOOBIG:
        return ERR_RANGE;
    case SQLITE_CONSTRAINT:
        return ERR_EXISTS;
    case SQLITE_IOERR:
        return sys == ENOSPC ? ERR_NOSPACE : ERR_IO;
    default:
        return ERR_INVALID;
    }
}

/* SQLite's result rc, translated once; the text is SQLite's behind the path. */
static enum err from_sqlite(struct db *db, int rc, struct why *why)
{
    int sys = sqlite3_system_errno(db->sql);
    if ((rc & 0xff) == SQLITE_CANTOPEN && sys)
        return err_errno(why, sys, "%s", db->path);
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return err_set(why, ERR_TIMEOUT, "%s: stopped after %.3g s", db->path,
                       (double)db->options.limit_ns / 1e9);
    if ((rc & 0xff) == SQLITE_CANTOPEN)
        return err_set(why, ERR_IO, "%s: %s", db->path,
                       sqlite3_errmsg(db->sql));
    return err_set(why, from_primary(rc & 0xff, sys), "%s: %s", db->path,
                   sqlite3_errmsg(db->sql));
}

struct db_value db_text(const char *text)
{
    if (!text)
        return (struct db_value){.type = DB_NULL};
    return (struct db_value){
        .type = DB_TEXT, .data = text, .len = strlen(text)};
}

/* Which steps of a stranger's statement are allowed. Pragmas: those that only
 * describe, and none with a value to set. An "update" of sqlite_master is what
 * SQLite asks for when it declares json_each or pragma_table_info; a real one
 * is no reading statement, which db_prepare refuses. */
static int authorize(void *unused, int action, const char *a, const char *b,
                     const char *database, const char *trigger)
{
    static const char *const describing[] = {
        "table_info", "table_xinfo", "table_list",      "index_list",
        "index_info", "index_xinfo", "foreign_key_list"};
    (void)unused, (void)database, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_UPDATE:
        return strcmp(a, "sqlite_master") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(b, "load_extension") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        for (size_t i = 0; i < sizeof describing / sizeof *describing; i++)
            if (!strcmp(a, describing[i]))
                return SQLITE_OK;
        return b ? SQLITE_DENY
                 : (strcmp(a, "user_version") ? SQLITE_DENY : SQLITE_OK);
    default:
        return SQLITE_DENY;
    }
}

/* SQLite asks now and then whether to go on; not 0 stops. */
static int overdue(void *arg)
{
    const struct db *db = arg;
    return clock_mono_ns() >= db->due_ns;
}

static void guard(struct db *db)
{
    static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, GUARDED_LENGTH},
                                    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                    {SQLITE_LIMIT_EXPR_DEPTH, 200},
                                    {SQLITE_LIMIT_COMPOUND_SELECT, 100},
                                    {SQLITE_LIMIT_ATTACHED, 0},
                                    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
                                    {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        (void)sqlite3_limit(db->sql, limits[i][0], limits[i][1]);
    (void)sqlite3_set_authorizer(db->sql, authorize, NULL);
    if (db->options.limit_ns)
        sqlite3_progress_handler(db->sql, PROGRESS_OPS, overdue, db);
}

/* "file:PATH?immutable=1" with every special byte escaped. */
static void immutable_name(const char *path, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "file:");
    for (const char *p = path; *p && n + 16 < size; p++)
        n += (size_t)snprintf(out + n, size - n,
                              strchr("?#%", *p) ? "%%%02x" : "%c",
                              (unsigned)(unsigned char)*p);
    (void)snprintf(out + n, size - n, "?immutable=1");
}

/* Open name and touch the file, so that what is wrong with it shows now. */
static int connect(struct db *db, const char *name, int flags)
{
    int rc = sqlite3_open_v2(name, &db->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc)
        return rc;
    (void)sqlite3_extended_result_codes(db->sql, 1);
    (void)sqlite3_busy_timeout(db->sql, db->options.busy_ms);
    (void)sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    static const char reading[] =
        "pragma query_only = on; pragma cell_size_check = on;"
        "select count(*) from sqlite_master";
    static const char writing[] =
        "pragma foreign_keys = on; pragma cell_size_check = on;"
        "pragma synchronous = full; select count(*) from sqlite_master";
    return sqlite3_exec(db->sql,
                        db->options.mode == DB_WRITE ? writing : reading, NULL,
                        NULL, NULL);
}

/* The file exists and no -wal file holds anything that it lacks. */
static bool complete_without_wal(const char *path)
{
    char wal[PATH_BYTES + 8];
    struct stat st;
    (void)snprintf(wal, sizeof wal, "%s-wal", path);
    return !stat(path, &st) && S_ISREG(st.st_mode) &&
           (stat(wal, &st) || st.st_size == 0);
}

static int connect_reading(struct db *db)
{
    int rc = connect(db, db->path, SQLITE_OPEN_READONLY);
    int primary = rc & 0xff;
    if ((primary != SQLITE_CANTOPEN && primary != SQLITE_READONLY) ||
        !complete_without_wal(db->path))
        return rc;
    char name[3 * PATH_BYTES + 32];
    immutable_name(db->path, name, sizeof name);
    (void)sqlite3_close_v2(db->sql);
    db->sql = NULL;
    return connect(db, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

/* SQLite tries a file that it may not make once more for reading, and then says
 * that it is not there: the folder's own refusal is the better word. */
static enum err blame_folder(const char *path, enum err e, struct why *why)
{
    char folder[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    if (!eaccess(folder, W_OK | X_OK) || errno == ENOENT)
        return e;
    return err_errno(why, errno, "make %s", path);
}

enum err db_open(struct db **out, const char *path,
                 const struct db_options *options, struct why *why)
{
    *out = NULL;
    struct db *db = calloc(1, sizeof *db);
    if (!db)
        return err_set(why, ERR_NOMEM, "%s", path);
    db->options = *options;
    enum err e = ERR_OK;
    int n = snprintf(db->path, sizeof db->path, "%s", path);
    if (n <= 0 || (size_t)n >= sizeof db->path) {
        e = err_set(why, ERR_INVALID, "\"%.80s\" is not the name of a file",
                    path);
        goto out;
    }
    int rc = options->mode == DB_WRITE
                 ? connect(db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
                 : connect_reading(db);
    if (rc) {
        e = from_sqlite(db, rc, why);
        if (options->mode == DB_WRITE && e == ERR_NOTFOUND)
            e = blame_folder(path, e, why);
        goto out;
    }
    if (options->mode == DB_WRITE && sqlite3_db_readonly(db->sql, "main")) {
        e = err_set(why, ERR_PERMISSION, "%s: may not be written", path);
        goto out;
    }
    if (options->mode == DB_GUARDED)
        guard(db);
    *out = db;
    db = NULL;
out:
    db_close(db);
    return e;
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    return hash;
}

/* Take the kept statement of this text; NULL: there is none. */
static sqlite3_stmt *take_kept(struct db *db, const char *text)
{
    uint32_t hash = hash_of(text);
    for (uint32_t i = 0; i < KEPT_NEXT; i++) {
        sqlite3_stmt **place = &db->kept[(hash + i) % KEPT_MAX], *stmt = *place;
        if (!stmt || strcmp(sqlite3_sql(stmt), text) != 0)
            continue;
        *place = NULL;
        return stmt;
    }
    return NULL;
}

/* The first free place of this text, else its hash's own. */
static sqlite3_stmt **free_place(struct db *db, const char *text)
{
    uint32_t hash = hash_of(text);
    for (uint32_t i = 0; i < KEPT_NEXT; i++)
        if (!db->kept[(hash + i) % KEPT_MAX])
            return &db->kept[(hash + i) % KEPT_MAX];
    return &db->kept[hash % KEPT_MAX];
}

/* Keep stmt for the next one, or be done with it: a stranger's is judged each
 * time, and some pragmas act while they are prepared. */
static void keep(struct db *db, sqlite3_stmt *stmt)
{
    const char *text = sqlite3_sql(stmt);
    if (db->options.mode == DB_GUARDED || !text ||
        !sqlite3_strnicmp(text, "pragma", 6)) {
        (void)sqlite3_finalize(stmt);
        return;
    }
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt); /* they were borrowed */
    sqlite3_stmt **place = free_place(db, text);
    (void)sqlite3_finalize(*place);
    *place = stmt;
}

void db_close(struct db *db)
{
    if (!db)
        return;
    for (unsigned i = 0; i < KEPT_MAX; i++)
        (void)sqlite3_finalize(db->kept[i]);
    (void)sqlite3_close_v2(db->sql);
    free(db);
}

enum err db_begin(struct db *db, bool write, struct why *why)
{
    return db_run(db, write ? "begin immediate" : "begin", DB_NONE, NULL, why);
}

enum err db_end(struct db *db, enum err e, struct why *why)
{
    if (!e)
        e = db_run(db, "commit", DB_NONE, NULL, why);
    /* A full disk may have ended the transaction already. */
    if (e && !sqlite3_get_autocommit(db->sql))
        (void)sqlite3_exec(db->sql, "rollback", NULL, NULL, NULL);
    return e;
}

enum err db_prepare(struct db *db, struct db_stmt **out, const char *sql,
                    const struct db_value *values, size_t n, struct why *why)
{
    *out = NULL;
    struct db_stmt *stmt = calloc(1, sizeof *stmt);
    if (!stmt)
        return err_set(why, ERR_NOMEM, "%s", db->path);
    stmt->db = db;
    enum err e = ERR_OK;
    const char *tail = "";
    stmt->sql = take_kept(db, sql);
    int rc = stmt->sql
                 ? SQLITE_OK
                 : sqlite3_prepare_v2(db->sql, sql, -1, &stmt->sql, &tail);
    if (rc == SQLITE_AUTH) {
        e = err_set(why, ERR_USAGE,
                    "only statements that read are accepted: %s",
                    sqlite3_errmsg(db->sql));
        goto out;
    }
    if (rc) {
        e = from_sqlite(db, rc, why);
        goto out;
    }
    tail += strspn(tail, "; \t\r\n");
    if (!stmt->sql || *tail) {
        e = err_set(why, ERR_USAGE, "not exactly one SQL statement");
        goto out;
    }
    if (db->options.mode == DB_GUARDED && !sqlite3_stmt_readonly(stmt->sql)) {
        e = err_set(why, ERR_USAGE, "only statements that read are accepted");
        goto out;
    }
    db_bind(stmt, values, n);
    *out = stmt;
    stmt = NULL;
out:
    db_finish(stmt);
    return e;
}

void db_finish(struct db_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->sql)
        keep(stmt->db, stmt->sql);
    free(stmt);
}

static int bind(sqlite3_stmt *stmt, int i, const struct db_value *v)
{
    switch (v->type) {
    case DB_NULL:
        return sqlite3_bind_null(stmt, i);
    case DB_INT:
        return sqlite3_bind_int64(stmt, i, v->i);
    case DB_REAL:
        return sqlite3_bind_double(stmt, i, v->f);
    case DB_TEXT:
        return sqlite3_bind_text64(stmt, i, v->data, v->len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case DB_BLOB:
        return v->len ? sqlite3_bind_blob64(stmt, i, v->data, v->len,
                                            SQLITE_STATIC)
                      : sqlite3_bind_zeroblob(stmt, i, 0);
    }
    return SQLITE_MISUSE;
}

void db_bind(struct db_stmt *stmt, const struct db_value *values, size_t n)
{
    assert(n <= (size_t)sqlite3_bind_parameter_count(stmt->sql));
    (void)sqlite3_reset(stmt->sql);
    stmt->bound = SQLITE_OK;
    for (size_t i = 0; i < n; i++) {
        int rc = bind(stmt->sql, (int)i + 1, &values[i]);
        if (rc && !stmt->bound)
            stmt->bound = rc;
    }
    if (stmt->db->options.limit_ns)
        stmt->db->due_ns = clock_mono_ns() + stmt->db->options.limit_ns;
}

enum err db_step(struct db_stmt *stmt, bool *row, struct why *why)
{
    *row = false;
    int rc = stmt->bound ? stmt->bound : sqlite3_step(stmt->sql);
    if (rc == SQLITE_ROW) {
        *row = true;
        return ERR_OK;
    }
    enum err e = ERR_OK;
    if (rc != SQLITE_DONE)
        e = from_sqlite(stmt->db, rc, why);
    (void)sqlite3_reset(stmt->sql);
    return e;
}

struct db_value db_column(struct db_stmt *stmt, size_t i)
{
    int c = (int)i;
    switch (sqlite3_column_type(stmt->sql, c)) {
    case SQLITE_INTEGER:
        return DB_I(sqlite3_column_int64(stmt->sql, c));
    case SQLITE_FLOAT:
        return DB_F(sqlite3_column_double(stmt->sql, c));
    case SQLITE_TEXT: {
        const void *text = sqlite3_column_text(stmt->sql, c);
        return (struct db_value){
            .type = text ? DB_TEXT : DB_NULL,
            .data = text,
            .len = (size_t)sqlite3_column_bytes(stmt->sql, c)};
    }
    case SQLITE_BLOB: {
        const void *blob = sqlite3_column_blob(stmt->sql, c);
        return DB_B(blob ? blob : "",
                    (size_t)sqlite3_column_bytes(stmt->sql, c));
    }
    default:
        return (struct db_value){.type = DB_NULL};
    }
}

const char *db_column_name(struct db_stmt *stmt, size_t i)
{
    if (i >= (size_t)sqlite3_column_count(stmt->sql))
        return NULL;
    return sqlite3_column_name(stmt->sql, (int)i);
}

enum err db_run(struct db *db, const char *sql, const struct db_value *values,
                size_t n, int64_t *out, struct why *why)
{
    struct db_stmt *stmt = NULL;
    enum err e = db_prepare(db, &stmt, sql, values, n, why);
    bool row = false;
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && out && !row)
        e = err_set(why, ERR_NOTFOUND, "%s: no such row", db->path);
    if (!e && out)
        *out = db_column(stmt, 0).i;
    while (!e && row)
        e = db_step(stmt, &row, why);
    db_finish(stmt);
    return e;
}
