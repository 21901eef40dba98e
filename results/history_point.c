#include "results/history_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/centre.h"
#include "results/matrix.h"
#include "results/stat_dist.h"

#define TERMS_MAX 32u

struct term {
    char name[65], level[201];
};

struct reading {
    struct history_points *out;
    struct db *db;
    const struct metric *metric;
    struct term terms[TERMS_MAX];
    size_t n_terms;
    /* The experiment at hand. */
    struct matrix matrix;
    double *values; /* [n_trials] */
    double *cell;   /* [n_trials] those of one cell */
    char started[24];
    char words[3][201]; /* track, challenge, target */
};

static const char *const word_names[] = {"track", "challenge", "target"};

void history_points_fini(struct history_points *p)
{
    names_fini(&p->cells);
    names_fini(&p->prints);
    free(p->points);
    *p = (struct history_points){.n = 0};
}

static enum err read_terms(struct reading *r, const char *where,
                           struct why *why)
{
    const char *p = where ? where : "";
    while (*p) {
        size_t len = strcspn(p, ",");
        const char *equals = memchr(p, '=', len);
        size_t name = equals ? (size_t)(equals - p) : 0;
        if (!name || name > 64 || len - name - 1 > 200 || len == name + 1 ||
            r->n_terms == TERMS_MAX)
            return err_set(why, ERR_USAGE,
                           "--where \"%.80s\": name=level,... is accepted, at "
                           "most %u",
                           where, TERMS_MAX);
        struct term *t = &r->terms[r->n_terms++];
        (void)snprintf(t->name, sizeof t->name, "%.*s", (int)name, p);
        (void)snprintf(t->level, sizeof t->level, "%.*s", (int)(len - name - 1),
                       equals + 1);
        p += len;
        p += *p == ',';
    }
    return ERR_OK;
}

/* What a cell has for a name: its level, else the experiment's word; NULL. */
static const char *value_of(const struct reading *r, size_t cell,
                            const char *name)
{
    const struct matrix *m = &r->matrix;
    size_t f = matrix_factor_find(m, name, strlen(name));
    if (f != SIZE_MAX)
        return m->factors[f].labels[m->cells[cell].levels[f]];
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(name, word_names[i]))
            return r->words[i];
    return NULL;
}

/* Several levels of one name: any of them. */
static bool wanted(const struct reading *r, size_t cell)
{
    for (size_t i = 0; i < r->n_terms; i++) {
        const char *has = value_of(r, cell, r->terms[i].name);
        bool any = false;
        for (size_t k = 0; has && k < r->n_terms; k++)
            any |= !strcmp(r->terms[k].name, r->terms[i].name) &&
                   !strcmp(r->terms[k].level, has);
        if (!any)
            return false;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "geonames, append, pitwall: heap=1g,link=lo", factors by name, so that their
 * order in a plan does not matter. */
static enum err key_of(const struct reading *r, size_t cell, size_t *number,
                       struct why *why)
{
    const struct matrix *m = &r->matrix;
    char key[4096], *parts[64];
    size_t n = 0, used = 0;
    for (size_t f = 0; f < m->n_factors && n < 64; f++) {
        bool word = false;
        for (size_t i = 0; i < 3; i++)
            word |= !strcmp(m->factors[f].name, word_names[i]);
        if (!word && asprintf(&parts[n], "%s=%s", m->factors[f].name,
                              value_of(r, cell, m->factors[f].name)) > 0)
            n++;
    }
    qsort(parts, n, sizeof *parts, by_text);
    used += (size_t)snprintf(
        key, sizeof key, "%s, %s, %s:", value_of(r, cell, "track"),
        value_of(r, cell, "challenge"), value_of(r, cell, "target"));
    for (size_t i = 0; i < n; i++) {
        if (used < sizeof key)
            used += (size_t)snprintf(key + used, sizeof key - used, "%s%s",
                                     i ? "," : " ", parts[i]);
        free(parts[i]);
    }
    return names_put(&r->out->cells, key, number, NULL, why);
}

/* Machine and build of an attempt: what makes another series of it. */
static enum err print_of(const struct reading *r, int64_t attempt,
                         size_t *number, struct why *why)
{
    static const char sql[] =
        "select group_concat(line, char(10)) from (select name || '=' || value "
        "as line from host_fact where experiment = ?1 and name in "
        "('cpu_model', 'cpus', 'kernel', 'distribution', 'memory_bytes', "
        "'hypervisor', 'smt') union select name || '=' || value from fact "
        "where attempt = ?2 and (name glob 'target.*.sha256' or name glob "
        "'corpus.*.sha256' or name in ('machine.governor', 'machine.turbo')) "
        "union select 'pitwall=' || version from experiment where id = ?1 "
        "order by 1)";
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(r->db, &stmt, sql,
                   DB_VALUES(DB_I(r->matrix.experiment), DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e) {
        struct db_value v = db_column(stmt, 0);
        e = names_put(&r->out->prints, v.type == DB_TEXT ? v.data : "", number,
                      NULL, why);
    }
    db_finish(stmt);
    return e;
}

/* The interval by Student's t, of logarithms where ratios are meant. */
static void interval(struct history_point *p, const double *x, size_t n,
                     bool logs)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (logs ? log(x[i]) : x[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += pow((logs ? log(x[i]) : x[i]) - sum, 2);
    p->low = p->high = NAN;
    if (n < 2)
        return;
    double half = stat_t_quantile(0.975, (double)n - 1) *
                  sqrt(squares / (double)(n - 1) / (double)n);
    p->low = logs ? exp(sum - half) : sum - half;
    p->high = logs ? exp(sum + half) : sum + half;
}

static enum err add_point(struct reading *r, size_t cell, struct why *why)
{
    struct history_points *out = r->out;
    struct history_point p = {.experiment = r->matrix.experiment};
    bool positive = true;
    int64_t attempt = 0;
    for (size_t t = 0; t < r->matrix.n_trials; t++) {
        const struct matrix_trial *trial = &r->matrix.trials[t];
        if (trial->cell != cell || trial->end != MATRIX_OK ||
            !isfinite(r->values[t]))
            continue;
        attempt = trial->attempt;
        positive &= r->values[t] > 0;
        r->cell[p.n++] = r->values[t];
    }
    if (!p.n)
        return ERR_OK;
    bool logs = positive && r->metric->kind == METRIC_RATIO;
    p.value = centre_of(r->cell, p.n, logs).value;
    interval(&p, r->cell, p.n, logs);
    memcpy(p.started, r->started, sizeof p.started);
    enum err e = key_of(r, cell, &p.cell, why);
    if (!e)
        e = print_of(r, attempt, &p.print, why);
    if (!e && !(out->n & (out->n - 1))) {
        struct history_point *grown = realloc(
            out->points, (out->n ? 2 * out->n : 1) * sizeof *out->points);
        if (!grown)
            return err_set(why, ERR_NOMEM, "history");
        out->points = grown;
    }
    if (!e)
        out->points[out->n++] = p;
    return e;
}

/* A track's file and its name are the same one. */
static void put_word(char *to, size_t size, const struct db_value *v)
{
    const char *text = v->type == DB_TEXT ? v->data : "";
    const char *slash = strrchr(text, '/');
    (void)snprintf(to, size, "%s", slash ? slash + 1 : text);
    size_t len = strlen(to);
    if (slash && len > 5 && !strcmp(to + len - 5, ".json"))
        to[len - 5] = '\0';
}

static enum err add_experiment(struct reading *r, struct db_stmt *stmt,
                               struct why *why)
{
    struct db_value started = db_column(stmt, 1);
    (void)snprintf(r->started, sizeof r->started, "%s",
                   started.type == DB_TEXT ? (const char *)started.data : "");
    for (size_t i = 0; i < 3; i++) {
        struct db_value v = db_column(stmt, 2 + i);
        put_word(r->words[i], sizeof r->words[i], &v);
    }
    enum err e = matrix_load(&r->matrix, r->db, db_column(stmt, 0).i, why);
    if (e)
        return e;
    size_t n = r->matrix.n_trials + 1;
    r->values = calloc(n, sizeof *r->values);
    r->cell = calloc(n, sizeof *r->cell);
    if (!r->values || !r->cell)
        e = err_set(why, ERR_NOMEM, "history");
    if (!e)
        e = matrix_values(&r->matrix, r->db, r->metric, r->values, why);
    for (size_t c = 0; !e && c < r->matrix.n_cells; c++)
        if (r->matrix.cells[c].purpose == PURPOSE_MEASURE && wanted(r, c))
            e = add_point(r, c, why);
    free(r->values);
    free(r->cell);
    matrix_fini(&r->matrix);
    return e;
}

enum err history_points(struct history_points *out, struct db *db,
                        const struct metric *metric, const char *where,
                        struct why *why)
{
    struct reading r = {.out = out, .db = db, .metric = metric};
    struct db_stmt *stmt = NULL;
    bool row = false;
    *out = (struct history_points){.n = 0};
    enum err e = read_terms(&r, where, why);
    if (!e)
        e = db_prepare(db, &stmt,
                       "select id, started, track, challenge, target from "
                       "experiment where state = 'finished' and imported is "
                       "null order by started, id",
                       DB_NONE, why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = add_experiment(&r, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}
