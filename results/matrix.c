#include "results/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/rowsum.h"

void matrix_fini(struct matrix *m)
{
    for (size_t f = 0; f < m->n_factors; f++) {
        for (size_t l = 0; l < m->factors[f].n_levels; l++)
            free(m->factors[f].labels[l]);
        free(m->factors[f].labels);
        free(m->factors[f].name);
    }
    for (size_t c = 0; c < m->n_cells; c++) {
        free(m->cells[c].label);
        free(m->cells[c].levels);
    }
    free(m->factors);
    free(m->cells);
    free(m->trials);
    *m = (struct matrix){.factors = NULL};
}

/* Call visit for each row of sql, whose one value is the experiment. */
static enum err each(struct matrix *m, struct db *db, const char *sql,
                     enum err (*visit)(struct matrix *, struct db_stmt *,
                                       struct why *),
                     struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(db, &stmt, sql, DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = visit(m, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "matrix");
}

static char *text_at(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return strdup(v.type == DB_TEXT ? v.data : "");
}

/* A later part of the plan refers to an earlier one by its position; a store
 * whose positions do not fit is damaged. */
static enum err misfit(const struct matrix *m, struct why *why)
{
    return err_set(why, ERR_CORRUPT,
                   "experiment %lld: its cells and levels do not fit together",
                   (long long)m->experiment);
}

/* position, name, levels */
static enum err visit_factor(struct matrix *m, struct db_stmt *stmt,
                             struct why *why)
{
    struct matrix_factor *grown =
        realloc(m->factors, (m->n_factors + 1) * sizeof *grown);
    if (!grown)
        return nomem(why);
    m->factors = grown;
    size_t levels = (size_t)db_column(stmt, 2).i;
    struct matrix_factor *f = &m->factors[m->n_factors++];
    *f = (struct matrix_factor){
        .name = text_at(stmt, 1),
        .labels = calloc(levels ? levels : 1, sizeof *f->labels),
        .n_levels = levels};
    if (!f->labels)
        f->n_levels = 0;
    if (!f->name || !f->labels)
        return nomem(why);
    bool fits = levels && db_column(stmt, 0).i == (int64_t)m->n_factors - 1;
    return fits ? ERR_OK : misfit(m, why);
}

/* factor's position, level's position, label */
static enum err visit_level(struct matrix *m, struct db_stmt *stmt,
                            struct why *why)
{
    size_t f = (size_t)db_column(stmt, 0).i;
    size_t l = (size_t)db_column(stmt, 1).i;
    if (f >= m->n_factors || l >= m->factors[f].n_levels ||
        m->factors[f].labels[l])
        return misfit(m, why);
    m->factors[f].labels[l] = text_at(stmt, 2);
    return m->factors[f].labels[l] ? ERR_OK : nomem(why);
}

/* position, label, purpose, position of the cell that it repeats */
static enum err visit_cell(struct matrix *m, struct db_stmt *stmt,
                           struct why *why)
{
    size_t at = (size_t)db_column(stmt, 0).i;
    if (at >= m->n_cells || m->cells[at].label)
        return misfit(m, why);
    struct matrix_cell *c = &m->cells[at];
    c->label = text_at(stmt, 1);
    c->levels = calloc(m->n_factors + 1, sizeof *c->levels);
    c->canary_of = (size_t)db_column(stmt, 3).i;
    if (!c->label || !c->levels)
        return nomem(why);
    struct db_value purpose = db_column(stmt, 2);
    enum err e = purpose_parse(purpose.type == DB_TEXT ? purpose.data : "",
                               &c->purpose, why);
    if (e)
        return e;
    return c->canary_of < m->n_cells ? ERR_OK : misfit(m, why);
}

/* cell's, factor's and level's position */
static enum err visit_cell_level(struct matrix *m, struct db_stmt *stmt,
                                 struct why *why)
{
    size_t c = (size_t)db_column(stmt, 0).i, f = (size_t)db_column(stmt, 1).i;
    size_t l = (size_t)db_column(stmt, 2).i;
    if (c >= m->n_cells || f >= m->n_factors || l >= m->factors[f].n_levels ||
        !m->cells[c].levels)
        return misfit(m, why);
    m->cells[c].levels[f] = (uint32_t)l;
    return ERR_OK;
}

static enum matrix_end end_of(const char *outcome, bool invalid)
{
    if (!strcmp(outcome, "ok"))
        return invalid ? MATRIX_INVALID : MATRIX_OK;
    if (!strcmp(outcome, "oom"))
        return MATRIX_OOM;
    return strcmp(outcome, "failed") ? MATRIX_OPEN : MATRIX_FAILED;
}

/* tid, cell's position, iteration, attempt, outcome, whether invalid, bound,
 * whether on a shared host */
static enum err visit_trial(struct matrix *m, struct db_stmt *stmt,
                            struct why *why)
{
    if (!(m->n_trials & (m->n_trials - 1))) {
        size_t cap = m->n_trials ? 2 * m->n_trials : 1;
        struct matrix_trial *grown = realloc(m->trials, cap * sizeof *grown);
        if (!grown)
            return nomem(why);
        m->trials = grown;
    }
    struct db_value outcome = db_column(stmt, 4);
    struct matrix_trial *t = &m->trials[m->n_trials++];
    *t = (struct matrix_trial){
        .tid = (uint32_t)db_column(stmt, 0).i,
        .cell = (size_t)db_column(stmt, 1).i,
        .iteration = db_column(stmt, 2).i,
        .attempt = db_column(stmt, 3).i,
        .end = end_of(outcome.type == DB_TEXT ? outcome.data : "",
                      db_column(stmt, 5).i != 0),
        .shared = db_column(stmt, 7).i != 0};
    if (t->cell >= m->n_cells)
        return misfit(m, why);
    return bound_parse(db_column(stmt, 6).data, &t->bound, why);
}

static enum err visit_origin(struct matrix *m, struct db_stmt *stmt,
                             struct why *why)
{
    (void)why;
    m->imported = db_column(stmt, 0).i != 0;
    m->loose = db_column(stmt, 1).i != 0;
    return ERR_OK;
}

static enum err load(struct matrix *m, struct db *db, struct why *why)
{
    int64_t cells = 0;
    enum err e = db_run(db, "select count(*) from cell where experiment = ?",
                        DB_VALUES(DB_I(m->experiment)), &cells, why);
    if (e)
        return e;
    m->cells = calloc((size_t)cells + 1, sizeof *m->cells);
    if (!m->cells)
        return nomem(why);
    m->n_cells = (size_t)cells;
    e = each(m, db,
             "select e.imported is not null, exists (select 1 from block b "
             "where b.experiment = e.id and not b.paired and not b.superseded) "
             "from experiment e where e.id = ?",
             visit_origin, why);
    if (!e)
        e = each(
            m, db,
            "select f.position, f.name, (select count(*) from level l where "
            "l.factor = f.id) from factor f where f.experiment = ? "
            "order by f.position",
            visit_factor, why);
    if (!e)
        e = each(m, db,
                 "select f.position, l.position, l.label from factor f join "
                 "level l on l.factor = f.id where f.experiment = ?",
                 visit_level, why);
    if (!e)
        e = each(m, db,
                 "select c.position, c.label, c.purpose, coalesce(b.position, "
                 "0) from cell c left join cell b on b.id = c.canary_of "
                 "where c.experiment = ?",
                 visit_cell, why);
    if (!e)
        e = each(m, db,
                 "select c.position, f.position, l.position from cell c join "
                 "cell_level cl on cl.cell = c.id join factor f on f.id = "
                 "cl.factor join level l on l.id = cl.level "
                 "where c.experiment = ?",
                 visit_cell_level, why);
    if (!e)
        e = each(m, db,
                 "select t.tid, c.position, t.iteration, coalesce(t.attempt, "
                 "0), a.outcome, exists (select 1 from invalid i where "
                 "i.attempt = a.id), coalesce(a.bound, 'unclear'), "
                 "coalesce(a.bound_shared, 0) from "
                 "trial t join cell c on c.id = t.cell "
                 "join block b on b.id = t.block and not b.superseded "
                 "left join attempt a on a.id = coalesce(t.attempt, (select "
                 "x.id from attempt x where x.trial = t.id order by x.n desc "
                 "limit 1)) where t.experiment = ? order by t.tid",
                 visit_trial, why);
    return e;
}

enum err matrix_load(struct matrix *out, struct db *db, int64_t experiment,
                     struct why *why)
{
    *out = (struct matrix){.experiment = experiment};
    enum err e = load(out, db, why);
    if (e)
        matrix_fini(out);
    return e;
}

size_t matrix_factor_find(const struct matrix *m, const char *name, size_t len)
{
    for (size_t f = 0; f < m->n_factors; f++)
        if (strlen(m->factors[f].name) == len &&
            !memcmp(m->factors[f].name, name, len))
            return f;
    return SIZE_MAX;
}

size_t matrix_level_find(const struct matrix_factor *factor, const char *label)
{
    for (size_t l = 0; l < factor->n_levels; l++)
        if (factor->labels[l] && !strcmp(factor->labels[l], label))
            return l;
    return SIZE_MAX;
}

enum err matrix_no_factor(const struct matrix *m, const char *word, size_t len,
                          struct why *why)
{
    char names[300] = "none";
    size_t n = 0;
    for (size_t f = 0; f < m->n_factors && n < sizeof names; f++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              f ? ", " : "", m->factors[f].name);
    return err_set(why, ERR_NOTFOUND,
                   "there is no factor \"%.*s\" here; there are: %s", (int)len,
                   word, names);
}

enum err matrix_no_level(const struct matrix_factor *f, const char *word,
                         struct why *why)
{
    char names[300] = "none";
    size_t n = 0;
    for (size_t l = 0; l < f->n_levels && n < sizeof names; l++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              l ? ", " : "", f->labels[l]);
    return err_set(why, ERR_NOTFOUND,
                   "factor %s has no level \"%s\" here; it has: %s", f->name,
                   word, names);
}

static int by_tid(const void *key, const void *element)
{
    uint32_t tid = *(const uint32_t *)key;
    const struct matrix_trial *t = element;
    return (tid > t->tid) - (tid < t->tid);
}

enum err matrix_values(const struct matrix *m, struct db *db,
                       const struct metric *metric, double *values,
                       struct why *why)
{
    static const char sql[] =
        "select m.attempt, m.name, m.task, m.source, m.value, m.crc, t.tid "
        "from trial t join metric m on m.attempt = t.attempt and m.name = ?2 "
        "and m.task = '' where t.experiment = ?1";
    for (size_t i = 0; i < m->n_trials; i++)
        values[i] = NAN;
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(db, &stmt, sql,
                   DB_VALUES(DB_I(m->experiment), DB_T(metric->name)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = rowsum_check(stmt, "metric", why);
        uint32_t tid = (uint32_t)db_column(stmt, 6).i;
        const struct matrix_trial *t =
            m->n_trials ? bsearch(&tid, m->trials, m->n_trials,
                                  sizeof *m->trials, by_tid)
                        : NULL;
        if (t)
            values[t - m->trials] = db_column(stmt, 4).f;
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}
