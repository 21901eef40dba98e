/* One read-only statement of the operator's own. */
#include <stdio.h>

#include "common/clock.h"
#include "results/answer.h"
#include "results/handle.h"

#define CELLS_MAX 1000000u
#define TEXT_MAX  (256u << 20) /* bytes of all texts */
#define LIMIT_NS  (30 * NS_PER_S)
#define BLOB_MAX  16u /* bytes of a blob that are shown */

static void show_blob(const struct db_value *v, char *buf, size_t size)
{
    size_t n = (size_t)snprintf(buf, size, "x'");
    for (size_t i = 0; i < v->len && i < BLOB_MAX; i++)
        n += (size_t)snprintf(buf + n, size - n, "%02x",
                              ((const uint8_t *)v->data)[i]);
    if (v->len > BLOB_MAX)
        (void)snprintf(buf + n, size - n, "...' (%zu bytes)", v->len);
    else
        (void)snprintf(buf + n, size - n, "'");
}

/* The cell's text length, for the budget. NULL stays an empty cell. */
static size_t show(struct grid *grid, size_t row, size_t column,
                   const struct db_value *v)
{
    char buf[80] = "";
    switch (v->type) {
    case DB_NULL:
        return 0;
    case DB_INT:
        (void)snprintf(buf, sizeof buf, "%lld", (long long)v->i);
        grid_value(grid, row, column, (double)v->i, buf);
        return sizeof buf;
    case DB_REAL:
        (void)snprintf(buf, sizeof buf, "%.15g", v->f);
        grid_value(grid, row, column, v->f, buf);
        return sizeof buf;
    case DB_TEXT:
        grid_text(grid, row, column, v->data);
        return v->len;
    case DB_BLOB:
        show_blob(v, buf, sizeof buf);
        grid_text(grid, row, column, buf);
        return sizeof buf;
    }
    return 0;
}

static enum err run(struct db_stmt *stmt, struct grid *grid, struct why *why)
{
    bool row = false;
    size_t bytes = 0;
    enum err e = db_step(stmt, &row, why);
    const char *name;
    /* A column is a number's when its first value is one. */
    for (size_t i = 0; !e && (name = db_column_name(stmt, i)); i++) {
        enum db_type type = row ? db_column(stmt, i).type : DB_NULL;
        grid_column(grid, name, "", type == DB_INT || type == DB_REAL);
    }
    while (!e && row) {
        if ((grid->n_rows + 1) * grid->n_columns > CELLS_MAX ||
            bytes > TEXT_MAX)
            return err_set(why, ERR_RANGE,
                           "more than %u cells or %u MiB: add a LIMIT",
                           CELLS_MAX, TEXT_MAX >> 20);
        size_t at = grid_row(grid);
        for (size_t i = 0; i < grid->n_columns; i++) {
            struct db_value v = db_column(stmt, i);
            bytes += show(grid, at, i, &v);
        }
        e = db_step(stmt, &row, why);
    }
    return e;
}

/* A connection of its own: what it refuses, it refuses whatever mode the store
 * is open in. */
enum err answer_query(struct store *store, const char *sql, struct grid *grid,
                      struct why *why)
{
    struct db *db = NULL;
    struct db_stmt *stmt = NULL;
    const struct db_options options = {
        .mode = DB_GUARDED, .busy_ms = 5000, .limit_ns = LIMIT_NS};
    enum err e = db_open(&db, store->path, &options, why);
    if (!e)
        e = db_prepare(db, &stmt, sql, DB_NONE, why);
    if (!e)
        e = run(stmt, grid, why);
    db_finish(stmt);
    db_close(db);
    return e;
}
