#include "results/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/answer.h"
#include "results/compare_rows.h"
#include "results/handle.h"
#include "results/look.h"

static void compare_fini(struct compare *c)
{
    for (size_t i = 0; c->pairings && i + 1 < c->n_parts; i++)
        pairing_fini(&c->pairings[i]);
    for (size_t i = 0; c->parts && i < c->n_parts; i++)
        slice_fini(&c->parts[i].slice);
    for (size_t i = 0; i < c->n_experiments; i++) {
        figures_fini(&c->experiments[i].figures);
        free(c->experiments[i].wanted);
        free(c->experiments[i].unsteady);
        matrix_fini(&c->experiments[i].matrix);
    }
    compare_lines_fini(&c->lines);
    free(c->pairings);
    free(c->parts);
    free(c->experiments);
    free(c->rows);
}

/* What of its row the numbers are told with. */
static enum err read_row(struct compare_experiment *x, struct db *db,
                         struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select seed, order_kind from experiment "
                            "where id = ?",
                            DB_VALUES(DB_I(x->id)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row) {
        struct db_value seed = db_column(stmt, 0), order = db_column(stmt, 1);
        (void)snprintf(x->seed, sizeof x->seed, "%s",
                       seed.type == DB_TEXT ? (const char *)seed.data : "");
        (void)snprintf(x->order, sizeof x->order, "%s",
                       order.type == DB_TEXT ? (const char *)order.data : "");
    }
    db_finish(stmt);
    return e;
}

/* Cells of whose trials more than one in four had no steady state
 * (statistics.md section 3). */
static enum err find_unsteady(struct compare_experiment *x, struct db *db,
                              struct why *why)
{
    const struct matrix *m = &x->matrix;
    double *odd = calloc(m->n_trials + 1, sizeof *odd);
    size_t *n = calloc(2 * m->n_cells + 1, sizeof *n);
    x->unsteady = calloc(m->n_cells + 1, sizeof *x->unsteady);
    enum err e =
        odd && n && x->unsteady ? ERR_OK : err_set(why, ERR_NOMEM, "compare");
    if (!e)
        e = matrix_values(m, db, metric_find("unsteady"), odd, why);
    for (size_t t = 0; !e && t < m->n_trials; t++) {
        const struct matrix_trial *trial = &m->trials[t];
        if (trial->end != MATRIX_OK || isnan(odd[t]))
            continue;
        n[2 * trial->cell]++;
        n[2 * trial->cell + 1] += odd[t] > 0;
    }
    for (size_t c = 0; !e && c < m->n_cells; c++)
        x->unsteady[c] = 4 * n[2 * c + 1] > n[2 * c];
    free(odd);
    free(n);
    return e;
}

/* The experiment of that id, read once. */
static enum err open_experiment(struct compare *c, struct db *db, int64_t id,
                                struct compare_experiment **out,
                                struct why *why)
{
    for (size_t i = 0; i < c->n_experiments; i++)
        if (c->experiments[i].id == id) {
            *out = &c->experiments[i];
            return ERR_OK;
        }
    struct compare_experiment *x = &c->experiments[c->n_experiments];
    *x = (struct compare_experiment){.id = id};
    enum err e = matrix_load(&x->matrix, db, id, why);
    if (e)
        return e;
    c->n_experiments++;
    x->wanted = calloc(x->matrix.n_trials + 1, sizeof *x->wanted);
    *out = x;
    e = x->wanted ? read_row(x, db, why) : err_set(why, ERR_NOMEM, "compare");
    if (!e)
        e = find_unsteady(x, db, why);
    double alpha = c->options->alpha;
    if (!e)
        e = look_alpha(db, id, alpha, &alpha, why);
    c->alpha = alpha < c->alpha ? alpha : c->alpha;
    return e;
}

static void count_trials(struct compare_part *p)
{
    const struct matrix *m = &p->experiment->matrix;
    for (size_t c = 0; c < m->n_cells; c++)
        if (slice_has(&p->slice, &m->cells[c])) {
            p->n_cells++;
            p->unsteady |= p->experiment->unsteady[c];
        }
    for (size_t t = 0; t < m->n_trials; t++) {
        const struct matrix_trial *trial = &m->trials[t];
        if (!slice_has(&p->slice, &m->cells[trial->cell]))
            continue;
        p->experiment->wanted[t] = true;
        p->n_trials++;
        p->ends[trial->end]++;
        p->n_driver += trial->end == MATRIX_OK && trial->bound == BOUND_DRIVER;
    }
}

static enum err open_part(struct compare *c, struct store *store, size_t i,
                          struct why *why)
{
    struct compare_part *p = &c->parts[i];
    char id[SLICE_ID_MAX + 1];
    const char *terms = "";
    int64_t experiment = 0;
    p->text = i ? c->options->contenders[i - 1] : c->options->base;
    enum err e = slice_split(p->text, id, &terms, why);
    if (!e)
        e = answer_find(store, *id ? id : NULL, &experiment, why);
    if (!e)
        e = open_experiment(c, store->db, experiment, &p->experiment, why);
    if (!e)
        e = slice_parse(&p->slice, &p->experiment->matrix, terms, why);
    if (!e)
        count_trials(p);
    if (!e && !p->n_cells)
        e = err_set(why, ERR_NOTFOUND, "the experiment has no such cell");
    return e ? err_wrap(why, e, "\"%s\"", p->text) : ERR_OK;
}

/* A slice against itself tells nothing, and is a slip of whoever typed it. */
static bool same_cells(const struct compare_part *a,
                       const struct compare_part *b)
{
    if (a->experiment != b->experiment)
        return false;
    const struct matrix *m = &a->experiment->matrix;
    for (size_t c = 0; c < m->n_cells; c++)
        if (slice_has(&a->slice, &m->cells[c]) !=
            slice_has(&b->slice, &m->cells[c]))
            return false;
    return true;
}

static enum err pair(struct compare *c, size_t i, struct why *why)
{
    const struct compare_part *base = &c->parts[0], *p = &c->parts[i];
    if (same_cells(base, p))
        return err_set(why, ERR_USAGE,
                       "\"%s\" and \"%s\" are the same cells: name what "
                       "differs, such as %lld:heap=1g",
                       base->text, p->text, (long long)p->experiment->id);
    enum err e =
        pairing_make(&c->pairings[i - 1],
                     &(struct pairing_part){.matrix = &base->experiment->matrix,
                                            .slice = &base->slice},
                     &(struct pairing_part){.matrix = &p->experiment->matrix,
                                            .slice = &p->slice},
                     why);
    if (e)
        return err_wrap(why, e, "\"%s\" and \"%s\"", base->text, p->text);
    if (c->options->gated &&
        (base->experiment->matrix.imported || p->experiment->matrix.imported))
        return err_set(why, ERR_USAGE,
                       "--fail-on is refused for \"%s\" and \"%s\": figures "
                       "that others measured are there to be read; nothing is "
                       "gated on them",
                       base->text, p->text);
    if (c->options->gated && !c->pairings[i - 1].paired)
        return err_set(why, ERR_USAGE,
                       "--fail-on is refused for \"%s\" and \"%s\": two "
                       "experiments have no common blocks, and drift between "
                       "them could produce any difference; run both as levels "
                       "of one factor, such as target",
                       base->text, p->text);
    return ERR_OK;
}

/* An attempt that ended well, whose tasks are everyone's. */
static int64_t example_of(const struct compare_part *p)
{
    const struct matrix *m = &p->experiment->matrix;
    for (size_t t = 0; t < m->n_trials; t++)
        if (m->trials[t].end == MATRIX_OK &&
            slice_has(&p->slice, &m->cells[m->trials[t].cell]))
            return m->trials[t].attempt;
    return 0;
}

static enum err read_figures(struct compare *c, struct db *db, struct why *why)
{
    struct figures_key *keys = calloc(c->lines.n + 1, sizeof *keys);
    enum err e = keys ? ERR_OK : err_set(why, ERR_NOMEM, "compare");
    for (size_t i = 0; !e && i < c->lines.n; i++)
        keys[i] = (struct figures_key){.metric = c->lines.lines[i].metric,
                                       .task = c->lines.lines[i].task,
                                       .per_mb = c->lines.lines[i].per_mb};
    for (size_t i = 0; !e && i < c->n_experiments; i++) {
        struct compare_experiment *x = &c->experiments[i];
        const struct figures_wish wish = {keys, c->lines.n, x->wanted};
        e = figures_load(&x->figures, &x->matrix, db, &wish, why);
    }
    free(keys);
    return e;
}

static enum err read_all(struct compare *c, struct store *store,
                         struct why *why)
{
    enum err e = ERR_OK;
    c->n_parts = 1 + c->options->n_contenders;
    c->experiments = calloc(c->n_parts, sizeof *c->experiments);
    c->parts = calloc(c->n_parts, sizeof *c->parts);
    c->pairings = calloc(c->n_parts, sizeof *c->pairings);
    if (!c->experiments || !c->parts || !c->pairings)
        e = err_set(why, ERR_NOMEM, "compare");
    for (size_t i = 0; !e && i < c->n_parts; i++)
        e = open_part(c, store, i, why);
    for (size_t i = 1; !e && i < c->n_parts; i++)
        e = pair(c, i, why);
    if (!e)
        e = compare_lines_make(&c->lines, c->options->metrics, store->db,
                               example_of(&c->parts[0]), why);
    return e ? e : read_figures(c, store->db, why);
}

/* Below the margin a regression is real but does not matter to who gave it. */
static void note_found(const struct compare *c, struct compare_found *found)
{
    *found = (struct compare_found){.regressed = false};
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct finding *f = &c->rows[i].finding;
        if (c->rows[i].line->declared && f->rule.judged &&
            f->verdict.outcome == STAT_REGRESSED &&
            fabs(f->test.mean) >= f->rule.margin)
            found->regressed = true;
    }
    const struct compare_part *base = &c->parts[0];
    for (size_t i = 1; i < c->n_parts; i++) {
        const struct compare_part *p = &c->parts[i];
        found->oom |= p->ends[MATRIX_OOM] > 0;
        found->failed |= p->ends[MATRIX_FAILED] > 0;
        found->invalid |= p->ends[MATRIX_INVALID] > 0;
        found->regressed |=
            p->ends[MATRIX_OOM] + p->ends[MATRIX_FAILED] > 0 &&
            base->ends[MATRIX_OOM] + base->ends[MATRIX_FAILED] == 0;
    }
}

enum err answer_compare(struct store *store,
                        const struct compare_options *options,
                        struct grid *grid, struct compare_found *found,
                        struct why *why)
{
    struct compare c = {.options = options, .alpha = options->alpha};
    if (options->adjust && strcmp(options->adjust, "holm") &&
        strcmp(options->adjust, "bh"))
        return err_set(why, ERR_USAGE, "--adjust \"%s\": it is holm or bh",
                       options->adjust);
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = read_all(&c, store, why);
    if (!e)
        e = compare_judge(&c, why);
    if (!e)
        e = compare_show(&c, store->db, grid, why);
    if (!e)
        note_found(&c, found);
    e = db_end(store->db, e, why);
    compare_fini(&c);
    return e;
}
