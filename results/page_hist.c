#include "results/page_hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/rowsum.h"

#define SPANS    (4 * 24) /* quarters of a power of two: up to 16 MiB */
#define BEYOND   10.0     /* samples that a percentile has beyond it */
#define NS_IN_MS 1e6

void page_hist_percentiles(const struct hist *hist, struct jv *out)
{
    static const double percents[] = {
        1,  5,    10, 20, 30, 40, 50,   60,   70,    75,    80,    85,
        90, 92.5, 95, 97, 98, 99, 99.5, 99.9, 99.95, 99.99, 99.999};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        double beyond = (1 - percents[i] / 100) * (double)hist->total;
        if (!hist->total || (percents[i] > 50 && beyond < BEYOND - 1e-6))
            break;
        struct jv *point = jv_add(out, NULL, JV_ARRAY);
        double ns = (double)hist_percentile(hist, percents[i] / 100);
        jv_add_number(point, NULL, percents[i]);
        jv_add_number(point, NULL, round(ns / 10) * 10 / NS_IN_MS);
    }
}

/* The span of a value: (2^((i - 1) / 4), 2^(i / 4)]. */
static size_t span_of(double value)
{
    double at = value > 1 ? ceil(4 * log2(value) - 1e-9) : 0;
    return at < SPANS ? (size_t)at : SPANS - 1;
}

void page_hist_shares(const struct hist *hist, struct jv *out)
{
    uint64_t spans[SPANS] = {0};
    size_t first = SPANS, last = 0;
    for (uint32_t b = 0; b < HIST_BUCKETS; b++) {
        if (!hist->counts[b])
            continue;
        uint64_t high = hist_bucket_high(b);
        size_t at = span_of((double)(high < hist->max ? high : hist->max));
        spans[at] += hist->counts[b];
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    for (size_t i = first; i <= last && hist->total; i++) {
        struct jv *point = jv_add(out, NULL, JV_ARRAY);
        double share = 100 * (double)spans[i] / (double)hist->total;
        jv_add_number(point, NULL, round(exp2((double)i / 4)));
        jv_add_number(point, NULL, round(share * 1000) / 1000);
    }
}

/* What one cell's histograms add up to, and the one just read. */
struct sums {
    struct hist latency, reads, one;
};

/* The row's columns are the histogram's. */
static enum err add(struct sums *sums, struct db_stmt *stmt, struct why *why)
{
    enum err e = rowsum_check(stmt, "histogram", why);
    struct db_value kind = db_column(stmt, 1), blob = db_column(stmt, 4);
    if (!e)
        e = hist_decode(&sums->one, blob.data, blob.len, why);
    if (!e)
        hist_merge(kind.type == DB_TEXT && !strcmp(kind.data, "read_bytes")
                       ? &sums->reads
                       : &sums->latency,
                   &sums->one);
    return e;
}

static enum err add_trial(struct sums *sums, struct db_stmt *stmt,
                          int64_t attempt, struct why *why)
{
    bool row = false;
    db_bind(stmt, DB_VALUES(DB_I(attempt)));
    enum err e = db_step(stmt, &row, why);
    while (!e && row) {
        e = add(sums, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    return e;
}

static enum err add_cell(struct sums *sums, const struct page_cells *cells,
                         size_t i, struct db_stmt *stmt, struct why *why)
{
    const struct matrix *m = &cells->report->matrix;
    enum err e = ERR_OK;
    hist_reset(&sums->latency);
    hist_reset(&sums->reads);
    for (size_t t = 0; !e && t < m->n_trials; t++)
        if (page_cells_of_trial(cells, t) == i)
            e = add_trial(sums, stmt, m->trials[t].attempt, why);
    if (e)
        return e;
    struct jv *out = cells->out[i];
    page_hist_percentiles(&sums->latency, jv_add(out, "latency", JV_ARRAY));
    page_hist_shares(&sums->reads, jv_add(out, "reads", JV_ARRAY));
    return ERR_OK;
}

static enum err read_all(struct sums *sums, struct page_cells *cells,
                         struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    enum err e = db_prepare(
        db, &stmt,
        "select h.attempt, h.kind, h.task, h.second, h.blob, h.crc from "
        "histogram h left join task k on k.attempt = h.attempt and k.task = "
        "h.task where h.attempt = ? and h.second is null and (h.kind = "
        "'read_bytes' or (h.kind = 'latency' and coalesce(k.step, 0) = 0))",
        DB_NONE, why);
    for (size_t i = 0; !e && i < cells->n; i++)
        e = add_cell(sums, cells, i, stmt, why);
    db_finish(stmt);
    return e;
}

enum err page_hist(struct page_cells *cells, struct db *db, struct why *why)
{
    struct sums *sums = calloc(1, sizeof *sums);
    if (!sums)
        return err_set(why, ERR_NOMEM, "page");
    enum err e = read_all(sums, cells, db, why);
    free(sums);
    return e;
}
