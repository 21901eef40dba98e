/* Reading every checksummed row of a store. */
#include <stdio.h>
#include <string.h>

#include "results/digest.h"
#include "results/handle.h"
#include "results/rowsum.h"

#define SQL_BYTES 4096

/* "select every column but crc, crc from TABLE": the row as it was summed up,
 * also where a migration put columns behind crc. Attempts have none until they
 * are stored. */
static enum err compose(struct db *db, const char *table, char *sql,
                        size_t size, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    size_t n = (size_t)snprintf(sql, size, "select ");
    enum err e = db_prepare(db, &stmt,
                            "select name from pragma_table_info(?) "
                            "where name <> 'crc'",
                            DB_VALUES(DB_T(table)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row && n < size) {
        n += (size_t)snprintf(sql + n, size - n, "\"%s\", ",
                              (const char *)db_column(stmt, 0).data);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    if (!e && n < size)
        n += (size_t)snprintf(sql + n, size - n,
                              "crc from \"%s\" where crc is not null", table);
    if (!e && n >= size)
        e = err_set(why, ERR_CORRUPT, "table %s: too many columns", table);
    return e;
}

static enum err verify_table(struct db *db, const char *table, uint64_t *rows,
                             struct why *why)
{
    char sql[SQL_BYTES];
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = compose(db, table, sql, sizeof sql, why);
    if (!e)
        e = db_prepare(db, &stmt, sql, DB_NONE, why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        ++*rows;
        e = rowsum_check(stmt, table, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* An artifact's digest is its content's alone. */
static enum err verify_artifacts(struct db *db, uint64_t *rows, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select attempt, name, sha256, content "
                            "from artifact",
                            DB_NONE, why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct db_value sha256 = db_column(stmt, 2);
        struct db_value content = db_column(stmt, 3);
        char found[DIGEST_HEX_SIZE];
        ++*rows;
        e = digest(content.data, content.len, found, why);
        if (!e && (sha256.type != DB_TEXT || strcmp(sha256.data, found) != 0))
            e = err_set(why, ERR_CORRUPT,
                        "artifact attempt=%lld name=%s: the content does not "
                        "match its digest",
                        (long long)db_column(stmt, 0).i,
                        (const char *)db_column(stmt, 1).data);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err store_verify(struct store *store, uint64_t *rows, struct why *why)
{
    *rows = 0;
    struct db_stmt *tables = NULL;
    bool row = false;
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = db_prepare(store->db, &tables,
                   "select t.name from sqlite_master t join "
                   "pragma_table_info(t.name) c where t.type = 'table' "
                   "and c.name = 'crc' order by t.name",
                   DB_NONE, why);
    if (!e)
        e = db_step(tables, &row, why);
    while (!e && row) {
        char table[64];
        (void)snprintf(table, sizeof table, "%s",
                       (const char *)db_column(tables, 0).data);
        e = verify_table(store->db, table, rows, why);
        if (!e)
            e = db_step(tables, &row, why);
    }
    db_finish(tables);
    if (!e)
        e = verify_artifacts(store->db, rows, why);
    return db_end(store->db, e, why);
}
