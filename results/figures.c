#include "results/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/rowsum.h"

/* The keys' places, by metric and task. */
struct index {
    const struct figures_key *keys;
    size_t *order; /* [n] */
    size_t n;
};

static int compare_names(const struct figures_key *key, const char *name,
                         const char *task)
{
    int order = strcmp(key->metric->name, name);
    return order ? order : strcmp(key->task, task);
}

static int by_names(const void *a, const void *b, void *keys)
{
    const struct figures_key *k = keys;
    const struct figures_key *y = &k[*(const size_t *)b];
    return compare_names(&k[*(const size_t *)a], y->metric->name, y->task);
}

/* The first of the keys of that name and task in the order; n: none. */
static size_t find(const struct index *x, const char *name, const char *task)
{
    size_t low = 0, high = x->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (compare_names(&x->keys[x->order[mid]], name, task) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < x->n && !compare_names(&x->keys[x->order[low]], name, task)
               ? low
               : x->n;
}

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

/* All rows of one attempt. */
static enum err read_attempt(struct figures *f, const struct index *x,
                             struct db_stmt *stmt, size_t trial,
                             struct why *why)
{
    bool row = false;
    enum err e = db_step(stmt, &row, why);
    while (!e && row) {
        const char *name = text(stmt, 1), *task = text(stmt, 2);
        size_t at = find(x, name, task);
        if (at < x->n)
            e = rowsum_check(stmt, "metric", why);
        for (; at < x->n && !compare_names(&x->keys[x->order[at]], name, task);
             at++)
            f->values[x->order[at]][trial] = db_column(stmt, 4).f;
        if (!e)
            e = db_step(stmt, &row, why);
    }
    return e;
}

/* MB of bodies that an attempt's tasks had in their windows. */
static enum err read_mb(struct db_stmt *stmt, double *mb, struct why *why)
{
    bool row = false;
    enum err e = db_step(stmt, &row, why);
    struct db_value v = {.type = DB_NULL};
    if (!e && row)
        v = db_column(stmt, 0);
    *mb = v.type == DB_INT ? (double)v.i / 1e6 : NAN;
    return e;
}

static void divide(struct figures *f, const struct figures_wish *wish,
                   size_t trial, double mb)
{
    for (size_t k = 0; k < f->n_keys; k++)
        if (wish->keys[k].per_mb)
            f->values[k][trial] /= mb;
}

static enum err read_all(struct figures *f, const struct matrix *m,
                         struct db *db, const struct figures_wish *wish,
                         const struct index *x, struct why *why)
{
    struct db_stmt *rows = NULL, *bytes = NULL;
    bool per_mb = false;
    for (size_t k = 0; k < wish->n_keys; k++)
        per_mb |= wish->keys[k].per_mb;
    enum err e = db_prepare(db, &rows,
                            "select attempt, name, task, source, value, crc "
                            "from metric where attempt = ?",
                            DB_VALUES(DB_I(0)), why);
    if (!e)
        e = db_prepare(db, &bytes,
                       "select sum(bytes) from task where attempt = ?",
                       DB_VALUES(DB_I(0)), why);
    for (size_t t = 0; !e && t < m->n_trials; t++) {
        double mb = NAN;
        if (!wish->trials[t] || m->trials[t].end != MATRIX_OK)
            continue;
        db_bind(rows, DB_VALUES(DB_I(m->trials[t].attempt)));
        e = read_attempt(f, x, rows, t, why);
        if (e || !per_mb)
            continue;
        db_bind(bytes, DB_VALUES(DB_I(m->trials[t].attempt)));
        e = read_mb(bytes, &mb, why);
        divide(f, wish, t, mb);
    }
    db_finish(rows);
    db_finish(bytes);
    return e;
}

static enum err make_room(struct figures *f, size_t n_trials, struct why *why)
{
    for (size_t k = 0; k < f->n_keys; k++) {
        f->values[k] = calloc(n_trials + 1, sizeof **f->values);
        if (!f->values[k])
            return err_set(why, ERR_NOMEM, "figures");
        for (size_t t = 0; t < n_trials; t++)
            f->values[k][t] = NAN;
    }
    return ERR_OK;
}

enum err figures_load(struct figures *out, const struct matrix *m,
                      struct db *db, const struct figures_wish *wish,
                      struct why *why)
{
    struct index x = {.keys = wish->keys,
                      .order = calloc(wish->n_keys + 1, sizeof *x.order),
                      .n = wish->n_keys};
    *out = (struct figures){.values =
                                calloc(wish->n_keys + 1, sizeof *out->values),
                            .n_keys = wish->n_keys};
    enum err e = x.order && out->values ? make_room(out, m->n_trials, why)
                                        : err_set(why, ERR_NOMEM, "figures");
    if (!e) {
        for (size_t k = 0; k < x.n; k++)
            x.order[k] = k;
        qsort_r(x.order, x.n, sizeof *x.order, by_names, (void *)x.keys);
        e = read_all(out, m, db, wish, &x, why);
    }
    free(x.order);
    if (e)
        figures_fini(out);
    return e;
}

void figures_fini(struct figures *f)
{
    for (size_t k = 0; f->values && k < f->n_keys; k++)
        free(f->values[k]);
    free(f->values);
    *f = (struct figures){.values = NULL};
}
