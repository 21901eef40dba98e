#include "results/page_bars.h"

#include <math.h>
#include <stdlib.h>

#define PARTS_MAX 3

static const struct {
    const char *id, *metrics[PARTS_MAX];
} charts[] = {
    {"gc", {"young_pause_per_mb", "old_pause_per_mb"}},
    {"allocation", {"tlab_bytes_per_byte", "outside_bytes_per_byte"}},
    {"link", {"link_utilization", "link_tx_utilization"}},
};

/* The centre of the metric over the cell's trials that count. */
static double centre(const struct page_cells *cells, size_t i,
                     const struct metric *metric, const double *values,
                     double *scratch)
{
    const struct matrix *m = &cells->report->matrix;
    size_t n = 0;
    for (size_t t = 0; t < m->n_trials; t++)
        if (m->trials[t].cell == cells->cells[i] &&
            m->trials[t].end == MATRIX_OK && isfinite(values[t]))
            scratch[n++] = values[t];
    double factor = 1;
    (void)metric_unit(metric, &factor);
    return n ? factor *
                   centre_of(scratch, n, metric->kind == METRIC_RATIO).value
             : NAN;
}

/* room: the caller's, for a value and another per trial. */
static enum err add_part(struct page_cells *cells, struct db *db,
                         const char *name, double *const room[2],
                         struct jv *parts, struct why *why)
{
    const struct metric *metric = metric_find(name);
    enum err e =
        matrix_values(&cells->report->matrix, db, metric, room[0], why);
    if (e)
        return e;
    struct jv *part = jv_add(parts, NULL, JV_OBJECT);
    struct jv *values = jv_add(part, "values", JV_ARRAY);
    double factor = 1;
    jv_add_text(part, "name", name);
    jv_add_text(part, "unit", metric_unit(metric, &factor));
    for (size_t i = 0; i < cells->n; i++)
        jv_add_number(values, NULL, centre(cells, i, metric, room[0], room[1]));
    return ERR_OK;
}

enum err page_bars(struct page_cells *cells, struct db *db, struct jv *root,
                   struct why *why)
{
    size_t n = cells->report->matrix.n_trials + 1;
    double *const room[2] = {calloc(n, sizeof(double)),
                             calloc(n, sizeof(double))};
    enum err e = room[0] && room[1] ? ERR_OK : err_set(why, ERR_NOMEM, "page");
    struct jv *bars = jv_add(root, "bars", JV_OBJECT);
    for (size_t c = 0; !e && c < sizeof charts / sizeof *charts; c++) {
        struct jv *parts = jv_add(bars, charts[c].id, JV_ARRAY);
        for (size_t p = 0; !e && p < PARTS_MAX && charts[c].metrics[p]; p++)
            e = add_part(cells, db, charts[c].metrics[p], room, parts, why);
    }
    free(room[0]);
    free(room[1]);
    return e;
}
