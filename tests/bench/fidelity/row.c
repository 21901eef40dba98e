#include "tests/bench/fidelity/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/fidelity/csv.h"

static enum err take_text(const struct csv *csv, size_t row, const char *column,
                          char to[ROW_TEXT], struct why *why)
{
    const char *text = csv_text(csv, row, column);
    if (!text || strlen(text) >= ROW_TEXT)
        return err_set(why, ERR_INVALID, "%s:%zu: %s: missing or too long",
                       csv->path, row + 1, column);
    (void)snprintf(to, ROW_TEXT, "%s", text);
    return ERR_OK;
}

static enum err take_row(const struct csv *csv, size_t at, struct row *row,
                         struct why *why)
{
    const struct {
        const char *column;
        char *to;
    } texts[] = {{"phase", row->phase},         {"link", row->link},
                 {"rmem", row->rmem},           {"gc", row->gc},
                 {"predictor", row->predictor}, {"outcome", row->outcome}};
    const struct {
        const char *column;
        uint64_t *to;
    } numbers[] = {{"run", &row->run},
#define X(name) {#name, &row->name},
                   ROW_SETTINGS(X) ROW_RESULTS(X)
#undef X
    };
    enum err e = ERR_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !e; i++)
        e = take_text(csv, at, texts[i].column, texts[i].to, why);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !e; i++)
        e = csv_u64(csv, at, numbers[i].column, numbers[i].to, why);
    return e;
}

static struct row *find(const struct rows *rows, uint64_t run)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->of[i].run == run)
            return &rows->of[i];
    return NULL;
}

static enum err add_size(struct row *row, struct size_class size,
                         struct why *why)
{
    struct size_class *more =
        realloc(row->sizes, (row->n_sizes + 1) * sizeof *more);
    if (!more)
        return err_set(why, ERR_NOMEM, "sizes of reads: no memory");
    row->sizes = more;
    row->sizes[row->n_sizes++] = size;
    return ERR_OK;
}

static enum err take_sizes(struct rows *rows, const struct csv *csv,
                           struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 1; i < csv->rows && !e; i++) {
        const char *kind = csv_text(csv, i, "kind");
        struct size_class size;
        uint64_t run = 0;
        if (!kind || strcmp(kind, "read") != 0)
            continue;
        e = csv_u64(csv, i, "run", &run, why);
        if (!e)
            e = csv_u64(csv, i, "lo", &size.low, why);
        if (!e)
            e = csv_u64(csv, i, "hi", &size.high, why);
        if (!e)
            e = csv_u64(csv, i, "count", &size.count, why);
        if (!e)
            e = csv_u64(csv, i, "bytes", &size.bytes, why);
        struct row *row = e ? NULL : find(rows, run);
        if (row && (!size.count || size.bytes < size.count))
            e = err_set(why, ERR_INVALID, "%s:%zu: reads without bytes",
                        csv->path, i + 1);
        else if (row)
            e = add_size(row, size, why);
    }
    return e;
}

static enum err take_rows(struct rows *rows, const struct csv *csv,
                          struct why *why)
{
    enum err e = ERR_OK;
    rows->of = calloc(csv->rows, sizeof *rows->of);
    if (!rows->of)
        return err_set(why, ERR_NOMEM, "reference: no memory");
    for (size_t i = 1; i < csv->rows && !e; i++)
        e = take_row(csv, i, &rows->of[rows->n++], why);
    return e;
}

enum err rows_load(struct rows *rows, const char *reference,
                   const char *histograms, struct why *why)
{
    struct csv csv = {0};
    *rows = (struct rows){0};
    enum err e = csv_read(&csv, reference, why);
    if (!e)
        e = take_rows(rows, &csv, why);
    csv_free(&csv);
    if (!e)
        e = csv_read(&csv, histograms, why);
    if (!e)
        e = take_sizes(rows, &csv, why);
    csv_free(&csv);
    for (size_t i = 0; i < rows->n && !e; i++)
        if (!rows->of[i].n_sizes)
            e = err_set(why, ERR_INVALID, "%s: no reads of run %llu",
                        histograms, (unsigned long long)rows->of[i].run);
    if (e)
        rows_free(rows);
    return e;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->of[i].sizes);
    free(rows->of);
    *rows = (struct rows){0};
}

bool row_same_cell(const struct row *a, const struct row *b)
{
#define X(name)                                                                \
    if (a->name != b->name)                                                    \
        return false;
    ROW_SETTINGS(X)
#undef X
    return !strcmp(a->link, b->link) && !strcmp(a->rmem, b->rmem) &&
           !strcmp(a->gc, b->gc) && !strcmp(a->predictor, b->predictor);
}

bool row_scored(const struct row *row)
{
    bool wanted = !strcmp(row->link, "lo") || !strcmp(row->link, "eth200m") ||
                  !strcmp(row->rmem, "low");
    return wanted && !strcmp(row->gc, "serial");
}

bool row_oom(const struct row *row)
{
    return !strcmp(row->outcome, "oom");
}
