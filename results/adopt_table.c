/* Which rows are an experiment's follows from the foreign keys: a table refers
 * to experiment, or to a table that does (trial, factor, cell), and so on
 * (metric: attempt, trial, experiment). New tables need nothing here. */
#include "results/adopt_table.h"

#include <stdio.h>
#include <string.h>

#include "results/rowsum.h"

#define SQL_BYTES 4096u
#define DEPTH_MAX 6u

struct column {
    char name[64];
    const struct adopt_shift *shift; /* NULL: the value as it is */
    bool bench;
};

struct table {
    const char *name;
    struct column columns[ADOPT_COLUMNS_MAX];
    size_t n;
    bool summed; /* it has crc, behind the columns */
};

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

static const struct adopt_shift *shift_of(const struct adopt *a,
                                          const char *table)
{
    for (size_t i = 0; i < a->n_shifts; i++)
        if (!strcmp(a->shifts[i].table, table))
            return &a->shifts[i];
    return NULL;
}

enum err adopt_shifts(struct adopt *a, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        a->to, &stmt,
        "select t.name from sqlite_master t join pragma_table_info(t.name) c "
        "where t.type = 'table' and c.name = 'id' and c.pk = 1 and t.name <> "
        "'bench'",
        DB_NONE, why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row && a->n_shifts < ADOPT_TABLES_MAX) {
        struct adopt_shift *s = &a->shifts[a->n_shifts++];
        char sql[128];
        (void)snprintf(s->table, sizeof s->table, "%s", text(stmt, 0));
        (void)snprintf(sql, sizeof sql, "select coalesce(max(id), 0) from %s",
                       s->table);
        e = db_run(a->to, sql, DB_NONE, &s->offset, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* The column by which a table belongs to another, and that one: experiment
 * before all, else what refers to none of the side tables. */
static enum err parent_of(const struct adopt *a, const char *table,
                          char column[64], char parent[64], struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    column[0] = parent[0] = '\0';
    enum err e = db_prepare(
        a->to, &stmt,
        "select \"from\", \"table\" from pragma_foreign_key_list(?1) where "
        "\"table\" not in ('bench', 'driver_ceiling', ?1) order by case "
        "\"table\" when 'experiment' then 0 when 'trial' then 1 when 'cell' "
        "then 2 when 'factor' then 3 else 4 end limit 1",
        DB_VALUES(DB_T(table)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row) {
        (void)snprintf(column, 64, "%s", text(stmt, 0));
        (void)snprintf(parent, 64, "%s", text(stmt, 1));
    }
    db_finish(stmt);
    return e;
}

/* The condition that a row is of experiment ?1; "": the table is nobody's. */
static enum err belongs(const struct adopt *a, const char *table, char *sql,
                        size_t size, struct why *why)
{
    char column[64], parent[64], at[64];
    size_t used = 0, open = 0;
    enum err e = ERR_OK;
    (void)snprintf(at, sizeof at, "%s", table);
    sql[0] = '\0';
    while (!e && strcmp(at, "experiment") != 0) {
        e = parent_of(a, at, column, parent, why);
        if (e || !*column || open == DEPTH_MAX) {
            sql[0] = '\0';
            return e;
        }
        bool last = !strcmp(parent, "experiment");
        used += (size_t)snprintf(sql + used, size - used,
                                 last ? "\"%s\" = ?1"
                                      : "\"%s\" in (select id from \"%s\" "
                                        "where ",
                                 column, parent);
        open += !last;
        if (used + DEPTH_MAX + 16 >= size)
            return err_set(why, ERR_RANGE, "table %s", table);
        (void)snprintf(at, sizeof at, "%s", parent);
    }
    if (!strcmp(table, "experiment"))
        used += (size_t)snprintf(sql + used, size - used, "id = ?1");
    while (open--)
        used += (size_t)snprintf(sql + used, size - used, ")");
    return e;
}

/* The columns that both have, and what each refers to. */
static enum err read_columns(const struct adopt *a, struct table *t,
                             struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        a->to, &stmt,
        "select c.name, (select k.\"table\" from pragma_foreign_key_list(?1) k "
        "where k.\"from\" = c.name) from pragma_table_info(?1) c",
        DB_VALUES(DB_T(t->name)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct column c = {.shift = NULL};
        int64_t there = 0;
        (void)snprintf(c.name, sizeof c.name, "%s", text(stmt, 0));
        c.bench = !strcmp(text(stmt, 1), "bench");
        c.shift = shift_of(a, *text(stmt, 1)          ? text(stmt, 1)
                              : !strcmp(c.name, "id") ? t->name
                                                      : "");
        e = db_run(a->from,
                   "select count(*) from pragma_table_info(?) where name = ?",
                   DB_VALUES(DB_T(t->name), DB_T(c.name)), &there, why);
        if (!e && there && !strcmp(c.name, "crc"))
            t->summed = true;
        else if (!e && there && t->n == ADOPT_COLUMNS_MAX)
            e = err_set(why, ERR_RANGE, "table %s: too many columns", t->name);
        else if (!e && there)
            t->columns[t->n++] = c;
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* "columns, crc from table where CONDITION", or "into table (columns, crc)
 * values (?, ...)". */
static void compose(const struct table *t, const char *condition, char *sql,
                    size_t size)
{
    size_t used = (size_t)snprintf(
        sql, size, condition ? "select " : "insert into \"%s\" (", t->name);
    for (size_t i = 0; i < t->n && used < size; i++)
        used += (size_t)snprintf(sql + used, size - used, "%s\"%s\"",
                                 i ? ", " : "", t->columns[i].name);
    if (t->summed && used < size)
        used += (size_t)snprintf(sql + used, size - used, ", crc");
    if (condition && used < size)
        used += (size_t)snprintf(sql + used, size - used,
                                 " from \"%s\" where %s", t->name, condition);
    if (condition)
        return;
    for (size_t i = 0; i < t->n + t->summed && used < size; i++)
        used += (size_t)snprintf(sql + used, size - used, "%s",
                                 i ? ", ?" : ") values (?");
    if (used < size)
        (void)snprintf(sql + used, size - used, ")");
}

/* Our bench of the same name as theirs, made where there is none. */
static enum err bench_of(struct adopt *a, int64_t theirs, int64_t *ours,
                         struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(a->from, &stmt, "select name from bench where id = ?",
                   DB_VALUES(DB_I(theirs)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_CORRUPT, "there is no bench %lld",
                    (long long)theirs);
    struct db_value name = {.type = DB_NULL};
    if (!e)
        name = db_column(stmt, 0);
    if (!e)
        e = db_run(a->to, "insert or ignore into bench (name) values (?)",
                   DB_VALUES(name), NULL, why);
    if (!e)
        e = db_run(a->to, "select id from bench where name = ?",
                   DB_VALUES(name), ours, why);
    db_finish(stmt);
    return e;
}

static enum err copy_row(struct adopt *a, const struct table *t,
                         struct db_stmt *in, struct db_stmt *out,
                         struct why *why)
{
    struct db_value row[ADOPT_COLUMNS_MAX + 1];
    uint32_t sum = 0;
    bool any = false;
    bool whole = t->summed && db_column(in, t->n).type != DB_NULL;
    enum err e = whole ? rowsum_check(in, t->name, why) : ERR_OK;
    for (size_t i = 0; !e && i < t->n; i++) {
        const struct column *c = &t->columns[i];
        row[i] = db_column(in, i);
        if (c->bench && row[i].type == DB_INT)
            e = bench_of(a, row[i].i, &row[i].i, why);
        else if (c->shift && row[i].type == DB_INT)
            row[i].i += c->shift->offset;
        sum = rowsum_add(sum, c->name, &row[i]);
    }
    if (e)
        return e;
    row[t->n] = whole ? DB_I(sum) : (struct db_value){.type = DB_NULL};
    db_bind(out, row, t->n + t->summed);
    a->rows++;
    return db_step(out, &any, why);
}

enum err adopt_table(struct adopt *a, const char *table, int64_t experiment,
                     struct why *why)
{
    char condition[1024], select[SQL_BYTES], insert[SQL_BYTES];
    struct table t = {.name = table};
    struct db_stmt *in = NULL, *out = NULL;
    bool row = false;
    enum err e = belongs(a, table, condition, sizeof condition, why);
    if (e || !*condition)
        return e;
    e = read_columns(a, &t, why);
    if (e || !t.n)
        return e;
    compose(&t, condition, select, sizeof select);
    compose(&t, NULL, insert, sizeof insert);
    e = db_prepare(a->from, &in, select, DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_prepare(a->to, &out, insert, DB_NONE, why);
    if (!e)
        e = db_step(in, &row, why);
    while (!e && row) {
        e = copy_row(a, &t, in, out, why);
        if (!e)
            e = db_step(in, &row, why);
    }
    db_finish(in);
    db_finish(out);
    return e ? err_wrap(why, e, "table %s", table) : ERR_OK;
}
