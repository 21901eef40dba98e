#include "results/rows.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/rowsum.h"

#define SQL_BYTES  4096
#define FIELDS_MAX 48

struct rows {
    struct db *db;
    struct db_stmt *insert[RECORD_KIND_LAST]; /* prepared when first needed */
    uint32_t names[RECORD_KIND_LAST][FIELDS_MAX]; /* rowsum_name, likewise */
};

/* A statement being written; an overflow is a fault of ours. */
struct text {
    size_t len;
    char buf[SQL_BYTES];
};

static void add(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->buf + t->len, sizeof t->buf - t->len, fmt, ap);
    va_end(ap);
    assert(n >= 0 && (size_t)n < sizeof t->buf - t->len);
    t->len += (size_t)n;
}

static const char *sql_type(enum wire_type type)
{
    switch (type) {
    case WIRE_U32:
    case WIRE_U64:
    case WIRE_I64:
        return "integer";
    case WIRE_F64:
        return "real";
    case WIRE_STR:
        return "text";
    case WIRE_BLOB:
        return "blob";
    }
    return "";
}

static enum err create(struct db *db, enum record_kind kind, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(kind, &n);
    struct text t = {0};
    add(&t, "create table if not exists %s (\n", record_name(kind));
    add(&t, "  attempt integer not null references attempt,\n");
    for (size_t i = 0; i < n; i++)
        add(&t, "  %s %s%s,\n", fields[i].name, sql_type(fields[i].type),
            fields[i].need == WIRE_OPT ? "" : " not null");
    add(&t, "  crc integer not null,\n  primary key (attempt");
    for (size_t i = 0; i < n; i++)
        if (fields[i].need == WIRE_KEY)
            add(&t, ", %s", fields[i].name);
    add(&t, ")\n) without rowid");
    return db_run(db, t.buf, DB_NONE, NULL, why);
}

enum err rows_create(struct db *db, struct why *why)
{
    enum err e = ERR_OK;
    for (unsigned k = 0; !e && k < RECORD_KIND_LAST; k++)
        if (k != RECORD_IS_hist)
            e = create(db, (enum record_kind)k, why);
    return e;
}

static enum err grow(struct db *db, enum record_kind kind, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(kind, &n);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < n; i++) {
        int64_t there = 0;
        e = db_run(db, "select count(*) from pragma_table_info(?) where name=?",
                   DB_VALUES(DB_T(record_name(kind)), DB_T(fields[i].name)),
                   &there, why);
        struct text t = {0};
        add(&t, "alter table %s add column %s %s", record_name(kind),
            fields[i].name, sql_type(fields[i].type));
        if (!e && !there)
            e = db_run(db, t.buf, DB_NONE, NULL, why);
    }
    return e;
}

enum err rows_grow(struct db *db, struct why *why)
{
    enum err e = ERR_OK;
    for (unsigned k = 0; !e && k < RECORD_KIND_LAST; k++)
        if (k != RECORD_IS_hist)
            e = grow(db, (enum record_kind)k, why);
    return e;
}

enum err rows_open(struct rows **out, struct db *db, struct why *why)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_set(why, ERR_NOMEM, "rows of records");
    (*out)->db = db;
    return ERR_OK;
}

void rows_close(struct rows *rows)
{
    if (!rows)
        return;
    for (unsigned k = 0; k < RECORD_KIND_LAST; k++)
        db_finish(rows->insert[k]);
    free(rows);
}

static enum err prepare(struct rows *rows, enum record_kind kind,
                        struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(kind, &n);
    assert(n <= FIELDS_MAX);
    struct text t = {0};
    add(&t, "insert into %s (attempt", record_name(kind));
    for (size_t i = 0; i < n; i++) {
        add(&t, ", %s", fields[i].name);
        rows->names[kind][i] = rowsum_name(fields[i].name);
    }
    add(&t, ", crc) values (?");
    for (size_t i = 0; i <= n; i++)
        add(&t, ", ?");
    add(&t, ")");
    return db_prepare(rows->db, &rows->insert[kind], t.buf, DB_NONE, why);
}

/* The field's value in the struct at in; ERR_RANGE. */
static enum err value_of(const struct wire_field *field, const void *in,
                         struct db_value *out, struct why *why)
{
    const char *at = (const char *)in + field->offset;
    switch (field->type) {
    case WIRE_U32:
        *out = DB_I(*(const uint32_t *)(const void *)at);
        break;
    case WIRE_U64: {
        uint64_t v = *(const uint64_t *)(const void *)at;
        if (v > INT64_MAX)
            return err_set(why, ERR_RANGE, "%s: %llu is too large", field->name,
                           (unsigned long long)v);
        *out = DB_I(v);
        break;
    }
    case WIRE_I64:
        *out = DB_I(*(const int64_t *)(const void *)at);
        break;
    case WIRE_F64:
        *out = DB_F(*(const double *)(const void *)at);
        break;
    case WIRE_STR:
        *out = DB_T(at);
        break;
    case WIRE_BLOB: {
        const struct wire_blob *blob = (const void *)at;
        *out = DB_B(blob->data, blob->len);
        break;
    }
    }
    bool nothing = out->type == DB_REAL ? out->f == 0 : !out->i && !out->len;
    if (field->need == WIRE_OPT && nothing)
        *out = (struct db_value){.type = DB_NULL};
    return ERR_OK;
}

enum err rows_add(struct rows *rows, int64_t attempt,
                  const struct record *record, struct why *why)
{
    assert(record->kind != RECORD_IS_hist);
    enum err e = ERR_OK;
    if (!rows->insert[record->kind])
        e = prepare(rows, record->kind, why);
    size_t n = 0;
    const struct wire_field *fields = record_fields(record->kind, &n);
    struct db_value values[FIELDS_MAX + 2] = {DB_I(attempt)};
    uint32_t sum = rowsum_add(0, "attempt", &values[0]);
    for (size_t i = 0; !e && i < n; i++) {
        e = value_of(&fields[i], &record->as, &values[i + 1], why);
        if (!e)
            sum = rowsum_add_to(sum, rows->names[record->kind][i],
                                &values[i + 1]);
    }
    if (e)
        return err_wrap(why, e, "%s", record_name(record->kind));
    values[n + 1] = DB_I(sum);
    db_bind(rows->insert[record->kind], values, n + 2);
    bool row = false;
    return db_step(rows->insert[record->kind], &row, why);
}
