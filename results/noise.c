#include "results/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/handle.h"
#include "results/matrix.h"

#define EXPERIMENTS_MAX 20 /* the newest that are looked at */
#define DF_MIN          5u /* fewer make a guess of it */

/* Logarithms by cell and block; rows are dropped from it as they have holes. */
struct table {
    double *y; /* [n_blocks][n_cells] */
    size_t n_blocks, n_cells;
};

static bool takes_part(const struct matrix *m, size_t cell)
{
    return m->cells[cell].purpose != PURPOSE_PROFILE;
}

static enum err fill(struct table *t, const struct matrix *m,
                     const double *values, struct why *why)
{
    int64_t last = 0;
    size_t n = 0;
    size_t *column = calloc(m->n_cells + 1, sizeof *column);
    for (size_t i = 0; i < m->n_trials; i++)
        if (m->trials[i].iteration > last)
            last = m->trials[i].iteration;
    for (size_t c = 0; column && c < m->n_cells; c++)
        column[c] = takes_part(m, c) ? n++ : SIZE_MAX;
    *t = (struct table){.y = calloc((size_t)last * n + 1, sizeof *t->y),
                        .n_blocks = (size_t)last,
                        .n_cells = n};
    if (!t->y || !column) {
        free(column);
        return err_set(why, ERR_NOMEM, "noise");
    }
    for (size_t i = 0; i < t->n_blocks * n; i++)
        t->y[i] = NAN;
    for (size_t i = 0; i < m->n_trials; i++) {
        const struct matrix_trial *trial = &m->trials[i];
        if (trial->end == MATRIX_OK && trial->iteration > 0 &&
            column[trial->cell] != SIZE_MAX)
            t->y[(size_t)(trial->iteration - 1) * n + column[trial->cell]] =
                log(values[i]);
    }
    free(column);
    return ERR_OK;
}

static void drop_blocks_with_holes(struct table *t)
{
    size_t kept = 0;
    for (size_t b = 0; b < t->n_blocks; b++) {
        bool whole = true;
        for (size_t c = 0; c < t->n_cells; c++)
            whole = whole && isfinite(t->y[b * t->n_cells + c]);
        for (size_t c = 0; whole && c < t->n_cells; c++)
            t->y[kept * t->n_cells + c] = t->y[b * t->n_cells + c];
        kept += whole;
    }
    t->n_blocks = kept;
}

/* Mean of n values, stride apart. */
static double mean_of(const double *y, size_t n, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i * stride];
    return sum / (double)n;
}

static void measure(const struct table *t, struct noise *out)
{
    double all = mean_of(t->y, t->n_blocks * t->n_cells, 1), square = 0;
    for (size_t b = 0; b < t->n_blocks; b++) {
        const double *row = t->y + b * t->n_cells;
        double block = mean_of(row, t->n_cells, 1);
        for (size_t c = 0; c < t->n_cells; c++) {
            double cell = mean_of(t->y + c, t->n_blocks, t->n_cells);
            double rest = row[c] - block - cell + all;
            square += rest * rest;
        }
    }
    out->df = (t->n_blocks - 1) * (t->n_cells - 1);
    out->sd = sqrt(square / (double)out->df);
}

/* One experiment's; *known: it has enough of them. */
static enum err look_at(struct db *db, const struct metric *metric,
                        struct noise *out, bool *known, struct why *why)
{
    struct matrix m = {.n_cells = 0};
    struct table t = {.y = NULL};
    double *values = NULL;
    enum err e = matrix_load(&m, db, out->experiment, why);
    if (!e && !(values = calloc(m.n_trials + 1, sizeof *values)))
        e = err_set(why, ERR_NOMEM, "noise");
    if (!e)
        e = matrix_values(&m, db, metric, values, why);
    if (!e)
        e = fill(&t, &m, values, why);
    if (!e) {
        drop_blocks_with_holes(&t);
        *known = t.n_blocks > 1 && t.n_cells > 1 &&
                 (t.n_blocks - 1) * (t.n_cells - 1) >= DF_MIN;
        if (*known)
            measure(&t, out);
    }
    free(values);
    free(t.y);
    matrix_fini(&m);
    return e;
}

static void copy(char *to, struct db_value v)
{
    (void)snprintf(to, NOISE_NAME_BYTES, "%s",
                   v.type == DB_TEXT ? (const char *)v.data : "");
}

static enum err search(struct db *db, const char *bench,
                       const struct metric *metric, struct noise *out,
                       struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false, known = false;
    enum err e = db_prepare(
        db, &stmt,
        "select e.id, e.name, n.name from experiment e join bench n on n.id = "
        "(select b.bench from block b where b.experiment = e.id limit 1) where "
        "e.imported is null and (?1 is null or n.name = ?1) order by e.id desc "
        "limit ?2",
        DB_VALUES(DB_T(bench), DB_I(EXPERIMENTS_MAX)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row && !known) {
        out->experiment = db_column(stmt, 0).i;
        copy(out->name, db_column(stmt, 1));
        copy(out->bench, db_column(stmt, 2));
        e = look_at(db, metric, out, &known, why);
        if (!e && !known)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    if (!e && !known)
        e = err_set(why, ERR_NOTFOUND, "no experiment has enough trials");
    return e;
}

enum err noise_seen(struct store *store, const char *bench,
                    const struct metric *metric, struct noise *out,
                    struct why *why)
{
    *out = (struct noise){.experiment = 0};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = search(store->db, bench, metric, out, why);
    return db_end(store->db, e, why);
}
