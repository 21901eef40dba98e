#include "results/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "results/agree.h"
#include "results/answer.h"
#include "results/check_facts.h"
#include "results/check_order.h"
#include "results/check_state.h"
#include "results/handle.h"
#include "results/heading.h"

enum { TRIAL, CELL, CHECK, UNIT, SOURCES };

struct check {
    const struct matrix *m;
    struct store *store;
    struct db *db;
    struct grid *grid;
    bool faults;
    struct check_counts *counts;
    double cut_s;     /* the largest of all trials */
    size_t n_sources; /* columns of them */
};

static size_t difference(const struct check *c)
{
    return SOURCES + c->n_sources;
}

static size_t verdict_column(const struct check *c)
{
    return difference(c) + 1;
}

/* Sources that only Java virtual machines have stand where one was. */
static enum err count_sources(struct check *c, struct why *why)
{
    int64_t jvms = 0;
    enum err e = db_run(c->db,
                        "select count(*) from metric m join attempt a on a.id "
                        "= m.attempt join trial t on t.id = a.trial where "
                        "t.experiment = ? and m.name in ('log_young_count', "
                        "'counters_young_count', 'recording_young_count')",
                        DB_VALUES(DB_I(c->m->experiment)), &jvms, why);
    c->n_sources = jvms ? AGREE_SOURCES : AGREE_OF_ALL;
    return e;
}

static void add_columns(const struct check *c)
{
    struct grid *grid = c->grid;
    grid_column(grid, "trial", "", true);
    grid_column(grid, "cell", "", false);
    grid_column(grid, "check", "", false);
    grid_column(grid, "unit", "", false);
    for (size_t i = 0; i < c->n_sources; i++)
        grid_column(grid, agree_source_name((enum agree_source)i), "", true);
    grid_column(grid, "difference", "%", true);
    grid_column(grid, "verdict", "", false);
}

static size_t add_row(struct check *c, const struct matrix_trial *t,
                      const char *what, const char *unit, const char *verdict)
{
    char number[16];
    size_t row = grid_row(c->grid);
    (void)snprintf(number, sizeof number, "%u", t->tid);
    grid_value(c->grid, row, TRIAL, t->tid, number);
    grid_text(c->grid, row, CELL, c->m->cells[t->cell].label);
    grid_text(c->grid, row, CHECK, what);
    grid_text(c->grid, row, UNIT, unit);
    grid_text(c->grid, row, verdict_column(c), verdict);
    return row;
}

static enum err add_validity(struct check *c, const struct matrix_trial *t,
                             struct why *why)
{
    char rules[400], verdict[440];
    enum err e = answer_broken(c->store, t->attempt, rules, sizeof rules, why);
    if (e)
        return e;
    c->counts->invalid += *rules != '\0';
    (void)snprintf(verdict, sizeof verdict, "%s%s",
                   *rules ? "invalid: " : "valid", rules);
    if (*rules || !c->faults)
        (void)add_row(c, t, "validity", "", verdict);
    return ERR_OK;
}

static void add_figure(struct check *c, const struct matrix_trial *t,
                       const struct agree *a)
{
    char verdict[200], text[40];
    bool times = !strcmp(a->unit, "ns");
    if (a->verdict == AGREE_UNKNOWN)
        return;
    c->counts->figures++;
    c->counts->differ += a->verdict == AGREE_NO;
    if (c->faults && a->verdict != AGREE_NO)
        return;
    (void)snprintf(verdict, sizeof verdict, "%s%s%s",
                   a->verdict == AGREE_NO ? "differ" : "agree",
                   *a->words ? ": " : "", a->words);
    size_t row = add_row(c, t, a->name, times ? "ms" : a->unit, verdict);
    for (size_t i = 0; i < c->n_sources; i++) {
        double v = times ? a->values[i] / 1e6 : a->values[i];
        if (isnan(v))
            continue;
        (void)snprintf(text, sizeof text, times ? "%.3f" : "%.0f", v);
        grid_value(c->grid, row, SOURCES + i, v, text);
    }
    if (isnan(a->difference))
        return;
    (void)snprintf(text, sizeof text, "%.2f", 100 * a->difference);
    grid_value(c->grid, row, difference(c), 100 * a->difference, text);
}

static enum err add_figures(struct check *c, const struct matrix_trial *t,
                            struct why *why)
{
    struct agree_facts facts;
    struct agree agree;
    enum err e = check_facts(&facts, c->db, t->attempt, why);
    for (int i = 0; !e && i < AGREE_FIGURES; i++) {
        agree_judge(&agree, &facts, (enum agree_figure)i);
        add_figure(c, t, &agree);
    }
    return e;
}

static enum err add_state(struct check *c, const struct matrix_trial *t,
                          struct why *why)
{
    struct check_state state;
    enum err e = check_state(&state, c->db, t->attempt, why);
    if (e)
        return e;
    c->cut_s = fmax(c->cut_s, state.cut_s);
    if (state.odd || !c->faults)
        (void)add_row(c, t, "steady state", "", state.words);
    return ERR_OK;
}

static enum err check_trial(struct check *c, const struct matrix_trial *t,
                            struct why *why)
{
    enum err e = add_validity(c, t, why);
    bool whole = t->end == MATRIX_OK || t->end == MATRIX_INVALID;
    c->counts->trials++;
    if (!e && whole && !c->m->imported)
        e = add_figures(c, t, why);
    if (!e && whole && !c->m->imported)
        e = add_state(c, t, why);
    return e ? err_wrap(why, e, "trial %u", t->tid) : ERR_OK;
}

/* Twice the largest cut, in tens of seconds (statistics.md section 3). */
static enum err note_warmup(const struct check *c, struct why *why)
{
    char planned[24];
    int64_t ns = 0;
    double advised_s = 10 * ceil(2 * c->cut_s / 10);
    enum err e = db_run(c->db, "select warmup_ns from experiment where id = ?",
                        DB_VALUES(DB_I(c->m->experiment)), &ns, why);
    if (!e && advised_s > (double)ns / 1e9)
        grid_note(c->grid, "warm-up %s is short: %.0f s advised",
                  units_show_ns(planned, sizeof planned, (double)ns),
                  advised_s);
    return e;
}

static enum err check(struct check *c, struct why *why)
{
    enum err e = count_sources(c, why);
    add_columns(c);
    for (size_t t = 0; !e && t < c->m->n_trials; t++)
        if (c->m->trials[t].attempt)
            e = check_trial(c, &c->m->trials[t], why);
    if (!e)
        grid_note(c->grid,
                  "%zu trials, %zu invalid; %zu figures have several sources, "
                  "%zu of them differ",
                  c->counts->trials, c->counts->invalid, c->counts->figures,
                  c->counts->differ);
    if (!e)
        e = note_warmup(c, why);
    return e ? e : check_order(c->m, c->db, c->grid, why);
}

enum err answer_check(struct store *store, int64_t experiment, bool faults,
                      struct grid *grid, struct check_counts *counts,
                      struct why *why)
{
    struct matrix m = {0};
    uint64_t rows = 0;
    *counts = (struct check_counts){.trials = 0};
    struct check c = {.m = &m,
                      .store = store,
                      .db = store->db,
                      .grid = grid,
                      .faults = faults,
                      .counts = counts};
    enum err e = store_verify(store, &rows, why);
    if (!e)
        e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = matrix_load(&m, store->db, experiment, why);
    if (!e)
        e = heading_title(&m, store->db, grid, why);
    if (!e)
        grid_note(grid, "the store's %llu checksums agree",
                  (unsigned long long)rows);
    if (!e)
        e = check(&c, why);
    matrix_fini(&m);
    return db_end(store->db, e, why);
}
