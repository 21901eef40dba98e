#include "results/adopt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/adopt_table.h"
#include "results/handle.h"
#include "results/schema.h"

#define BUSY_MS 5000

/* The other store, and the copy that was migrated in its place. */
struct other {
    struct db *db;
    char *copy; /* NULL: none */
};

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static void remove_copy(char *copy)
{
    static const char *const tails[] = {"", "-wal", "-shm"};
    for (size_t i = 0; copy && i < sizeof tails / sizeof *tails; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s%s", copy, tails[i]) > 0)
            (void)unlink(name);
        free(name);
    }
    free(copy);
}

/* A copy of an older store, brought to our schema. */
static enum err open_copy(struct other *o, const char *beside, struct why *why)
{
    const struct db_options options = {.mode = DB_WRITE, .busy_ms = BUSY_MS};
    if (asprintf(&o->copy, "%s.merge-%ld", beside, (long)getpid()) < 0) {
        o->copy = NULL;
        return err_set(why, ERR_NOMEM, "merge");
    }
    /* Its file is open for reading only; the copy is another one. */
    enum err e = db_run(o->db, "pragma query_only = off", DB_NONE, NULL, why);
    if (!e)
        e = db_run(o->db, "vacuum into ?", DB_VALUES(DB_T(o->copy)), NULL, why);
    db_close(o->db);
    o->db = NULL;
    if (!e)
        e = db_open(&o->db, o->copy, &options, why);
    return e ? e : schema_open(o->db, o->copy, true, why);
}

static enum err open_other(struct other *o, const char *path,
                           const char *beside, struct why *why)
{
    const struct db_options options = {.mode = DB_READ, .busy_ms = BUSY_MS};
    int64_t version = 0, application = 0;
    enum err e = db_open(&o->db, path, &options, why);
    if (!e)
        e = db_run(o->db, "pragma application_id", DB_NONE, &application, why);
    if (!e)
        e = db_run(o->db, "pragma user_version", DB_NONE, &version, why);
    if (!e && application == SCHEMA_APPLICATION_ID && version >= 1 &&
        version < SCHEMA_VERSION)
        return open_copy(o, beside, why);
    return e ? e : schema_open(o->db, path, false, why);
}

static void close_other(struct other *o)
{
    db_close(o->db);
    remove_copy(o->copy);
}

static void tell(struct grid *grid, struct db_stmt *stmt, int64_t here,
                 const char *what)
{
    char number[24];
    size_t row = grid_row(grid);
    struct db_value id = db_column(stmt, 0), trials = db_column(stmt, 3);
    (void)snprintf(number, sizeof number, "%lld", (long long)id.i);
    grid_value(grid, row, 0, (double)id.i, number);
    grid_text(grid, row, 1, db_column(stmt, 1).data);
    grid_text(grid, row, 2, db_column(stmt, 2).data);
    (void)snprintf(number, sizeof number, "%lld", (long long)trials.i);
    grid_value(grid, row, 3, (double)trials.i, number);
    (void)snprintf(number, sizeof number, "%lld", (long long)here);
    grid_value(grid, row, 4, (double)here, number);
    grid_text(grid, row, 5, what);
}

/* Every table, in no order: foreign keys wait for the end. */
static enum err take_tables(struct adopt *a, int64_t experiment,
                            struct why *why)
{
    struct db_stmt *tables = NULL;
    bool row = false;
    enum err e = db_prepare(a->to, &tables,
                            "select name from sqlite_master where type = "
                            "'table' and name not glob 'sqlite_*' and name <> "
                            "'bench' order by name",
                            DB_NONE, why);
    if (!e)
        e = db_step(tables, &row, why);
    while (!e && row) {
        char table[64];
        (void)snprintf(table, sizeof table, "%s",
                       (const char *)db_column(tables, 0).data);
        e = adopt_table(a, table, experiment, why);
        if (!e)
            e = db_step(tables, &row, why);
    }
    db_finish(tables);
    return e;
}

static enum err take(struct adopt *a, struct db_stmt *stmt, struct grid *grid,
                     struct why *why)
{
    int64_t id = db_column(stmt, 0).i, here = 0;
    uint64_t rows = a->rows;
    struct db_value uuid = db_column(stmt, 2);
    enum err e = db_run(a->to, "select id from experiment where uuid = ?",
                        DB_VALUES(uuid), &here, why);
    if (!e) {
        tell(grid, stmt, here, "there already, skipped");
        return ERR_OK;
    }
    if (e != ERR_NOTFOUND)
        return e;
    e = take_tables(a, id, why);
    if (!e)
        e = db_run(a->to,
                   "update experiment set state = 'interrupted' where uuid = ? "
                   "and state = 'running'",
                   DB_VALUES(uuid), NULL, why);
    if (!e)
        e = db_run(a->to, "select id from experiment where uuid = ?",
                   DB_VALUES(uuid), &here, why);
    char what[64];
    (void)snprintf(what, sizeof what, "taken in, %llu rows",
                   (unsigned long long)(a->rows - rows));
    if (!e)
        tell(grid, stmt, here, what);
    return e ? err_wrap(why, e, "experiment %lld", (long long)id) : ERR_OK;
}

static enum err take_all(struct adopt *a, struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_run(a->to, "pragma defer_foreign_keys = on", DB_NONE, NULL, why);
    if (!e)
        e = adopt_shifts(a, why);
    if (!e)
        e = db_prepare(a->from, &stmt,
                       "select e.id, e.name, e.uuid, (select count(*) from "
                       "trial t where t.experiment = e.id) from experiment e "
                       "order by e.id",
                       DB_NONE, why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = take(a, stmt, grid, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err adopt_store(struct store *store, const char *path, struct grid *grid,
                     struct why *why)
{
    static const char *const columns[] = {"there",  "name", "uuid",
                                          "trials", "here", "what"};
    assert(store->mode == STORE_WRITE);
    struct other other = {.db = NULL};
    struct adopt adopt = {.to = store->db};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        grid_column(grid, columns[i], "", i == 0 || i == 3 || i == 4);
    if (same_file(path, store->path))
        return err_set(why, ERR_USAGE, "%s is the store itself", path);
    enum err e = open_other(&other, path, store->path, why);
    adopt.from = other.db;
    if (!e)
        e = db_begin(other.db, false, why);
    if (!e)
        e = db_begin(store->db, true, why);
    if (!e) {
        e = db_end(store->db, take_all(&adopt, grid, why), why);
        if (!e)
            store_settle(store);
    }
    close_other(&other);
    return e ? err_wrap(why, e, "%s", path) : ERR_OK;
}
