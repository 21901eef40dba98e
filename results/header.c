#include "results/header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "results/bound_count.h"
#include "results/ceiling.h"

#define AGENTS_MAX 8 /* lines of machines */

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

static size_t cells_shown(const struct matrix *m)
{
    size_t n = 0;
    for (size_t c = 0; c < m->n_cells; c++)
        n += m->cells[c].purpose == PURPOSE_MEASURE;
    return n;
}

static void add_plan(const struct matrix *m, struct db_stmt *stmt,
                     struct grid *grid)
{
    char warmup[24], window[24];
    grid_note(grid, "%s: experiment %lld, %s, %s", text(stmt, 0),
              (long long)m->experiment, text(stmt, 1), text(stmt, 2));
    grid_note(grid, "track %s, challenge %s, target %s", text(stmt, 3),
              text(stmt, 4), text(stmt, 5));
    grid_note(grid,
              "%lld iterations of %zu cells, order %s, seed %s; warm-up %s, "
              "window %s",
              (long long)db_column(stmt, 8).i, cells_shown(m), text(stmt, 6),
              text(stmt, 7),
              units_show_ns(warmup, sizeof warmup, db_column(stmt, 9).f),
              units_show_ns(window, sizeof window, db_column(stmt, 10).f));
}

static enum err add_experiment(const struct matrix *m, struct db *db,
                               struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select name, started, state, track, challenge, target, order_kind, "
        "seed, iterations, cast(warmup_ns as real), cast(measure_ns as real) "
        "from experiment where id = ?",
        DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_NOTFOUND, "there is no experiment %lld",
                    (long long)m->experiment);
    if (!e)
        add_plan(m, stmt, grid);
    db_finish(stmt);
    return e;
}

/* "machine local: AMD EPYC, 2 cpus, Linux 6.18, congestion bbr" per agent, of
 * those facts that it told. */
static enum err add_machines(const struct matrix *m, struct db *db,
                             struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select agent, max(case name when 'cpu_model' then value end), "
        "max(case name when 'cpus' then value || ' cpus' end), "
        "max(case name when 'kernel' then 'Linux ' || value end), "
        "max(case name when 'congestion' then 'congestion ' || value end) "
        "from host_fact where experiment = ? group by agent "
        "order by agent limit ?",
        DB_VALUES(DB_I(m->experiment), DB_I(AGENTS_MAX)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        char line[400] = "";
        size_t n = 0;
        for (size_t i = 1; i <= 4 && n < sizeof line; i++)
            if (*text(stmt, i))
                n += (size_t)snprintf(line + n, sizeof line - n, "%s%s",
                                      n ? ", " : "", text(stmt, i));
        grid_note(grid, "machine %s: %s", text(stmt, 0),
                  n ? line : "nothing told");
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* Agents that share a machine have no network between them, whatever their link
 * is called: that is said. */
static enum err add_shared(const struct matrix *m, struct db *db,
                           struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select group_concat(agent, ', ') from (select agent, value from "
        "host_fact where experiment = ? and name = 'boot_id' order by agent) "
        "group by value having count(*) > 1",
        DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        grid_note(grid,
                  "agents %s are on one machine: a link between them is no "
                  "real network",
                  text(stmt, 0));
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static void add_ends(const struct matrix *m, struct grid *grid)
{
    size_t ends[MATRIX_ENDS] = {0}, n = 0;
    struct bound_count bounds = {.all = 0};
    char words[256];
    for (size_t i = 0; i < m->n_trials; i++)
        if (m->cells[m->trials[i].cell].purpose == PURPOSE_MEASURE) {
            ends[m->trials[i].end]++;
            if (m->trials[i].end == MATRIX_OK)
                bound_count_add(&bounds, m->trials[i].bound,
                                m->trials[i].shared);
            n++;
        }
    grid_note(grid,
              "%zu trials: %zu ok, %zu oom, %zu failed, %zu invalid, %zu open",
              n, ends[MATRIX_OK], ends[MATRIX_OOM], ends[MATRIX_FAILED],
              ends[MATRIX_INVALID], ends[MATRIX_OPEN]);
    if (bounds.all)
        grid_note(grid, "bound by: %s (`pitwall show` has the evidence)",
                  bound_count_show(&bounds, words, sizeof words));
    if (bounds.shared)
        grid_note(grid, BOUND_COUNT_STAR);
    if (bounds.n[BOUND_DRIVER])
        grid_note(grid,
                  "driver: %zu trials were bounded by the load generator, not "
                  "by the target",
                  bounds.n[BOUND_DRIVER]);
}

/* What is not told by the count of invalid trials: rules that were off, and
 * machines that were not left as they were. */
static enum err add_rules(const struct matrix *m, struct db *db,
                          struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select (select group_concat(rule, ', ') from (select rule from "
        "accepted where experiment = ?1 and value is null order by rule)), "
        "(select count(*) from attempt a join trial t on t.id = a.trial "
        "where t.experiment = ?1 and a.restored = 0), "
        "(select a.restored_evidence from attempt a join trial t on t.id = "
        "a.trial where t.experiment = ?1 and a.restored = 0 order by a.id)",
        DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && *text(stmt, 0))
        grid_note(grid, "not judged (--accept): %s", text(stmt, 0));
    if (!e && row && db_column(stmt, 1).i)
        grid_note(grid,
                  "after %lld attempts a machine was not as before, the first: "
                  "%s",
                  (long long)db_column(stmt, 1).i, text(stmt, 2));
    db_finish(stmt);
    return e;
}

/* The trial of the cell that the canary repeats, in the canary's iteration. */
static size_t twin_of(const struct matrix *m, size_t canary)
{
    const struct matrix_trial *c = &m->trials[canary];
    for (size_t i = 0; i < m->n_trials; i++)
        if (m->trials[i].cell == m->cells[c->cell].canary_of &&
            m->trials[i].iteration == c->iteration)
            return i;
    return SIZE_MAX;
}

/* The mean and deviation of ln(canary / base) over the iterations in which
 * both went well: n of them. */
static size_t canary_difference(const struct matrix *m, const double *values,
                                double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < m->n_trials; i++) {
        if (m->cells[m->trials[i].cell].purpose != PURPOSE_CANARY ||
            m->trials[i].end != MATRIX_OK)
            continue;
        size_t base = twin_of(m, i);
        if (base == SIZE_MAX || m->trials[base].end != MATRIX_OK)
            continue;
        double d = log(values[i] / values[base]);
        if (!isfinite(d))
            continue;
        sum += d;
        squares += d * d;
        n++;
    }
    *mean = n ? sum / (double)n : NAN;
    *deviation =
        n > 1 ? sqrt(fmax(squares - sum * *mean, 0) / (double)(n - 1)) : NAN;
    return n;
}

static enum err add_canary(const struct matrix *m, struct db *db,
                           struct grid *grid, struct why *why)
{
    size_t c = 0;
    while (c < m->n_cells && m->cells[c].purpose != PURPOSE_CANARY)
        c++;
    if (c == m->n_cells)
        return ERR_OK;
    double *values = calloc(m->n_trials + 1, sizeof *values);
    if (!values)
        return err_set(why, ERR_NOMEM, "report");
    enum err e = matrix_values(m, db, metric_find("throughput"), values, why);
    if (!e) {
        double mean = 0, deviation = 0;
        size_t n = canary_difference(m, values, &mean, &deviation);
        const char *base = m->cells[m->cells[c].canary_of].label;
        if (!n)
            grid_note(grid, "A/A: %s ran twice, no pair yet", base);
        else if (n == 1)
            grid_note(grid, "A/A: %s again: throughput %+.1f%%, n=1", base,
                      100 * expm1(mean));
        else
            grid_note(grid,
                      "A/A: %s again: throughput %+.1f%%, noise %.1f%%, n=%zu",
                      base, 100 * expm1(mean), 100 * expm1(deviation), n);
    }
    free(values);
    return e;
}

enum err header_emulated(struct db *db, int64_t experiment, struct grid *grid,
                         struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select l.label, replace(l.value, '+emulates=ethernet', '') from level "
        "l join factor f on f.id = l.factor where f.experiment = ? and f.name "
        "= 'link' and l.value glob '*+emulates=ethernet*' order by l.position",
        DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        grid_note(grid, "link %s: no ethernet, but emulated on one machine: %s",
                  text(stmt, 0), text(stmt, 1));
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* A server that answers 2xx and no more has not said what became of each
 * document: its figures stand on the status. */
static enum err add_assumed(const struct matrix *m, struct db *db,
                            struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select group_concat(target, ', ') from (select distinct target from "
        "v_trial where experiment = ? and docs_assumed > 0 order by target)",
        DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && db_column(stmt, 0).type == DB_TEXT)
        grid_note(grid,
                  "documents of %s: not counted by the target, those of bulks "
                  "that it answered 2xx",
                  text(stmt, 0));
    db_finish(stmt);
    return e;
}

enum err header_add(const struct matrix *matrix, struct db *db,
                    struct grid *grid, struct why *why)
{
    enum err e = add_experiment(matrix, db, grid, why);
    if (!e)
        e = add_machines(matrix, db, grid, why);
    if (!e)
        e = header_emulated(db, matrix->experiment, grid, why);
    if (!e)
        e = add_shared(matrix, db, grid, why);
    if (!e)
        e = ceiling_notes(db, matrix->experiment, grid, why);
    if (!e)
        add_ends(matrix, grid);
    if (!e)
        e = add_rules(matrix, db, grid, why);
    if (!e)
        e = add_assumed(matrix, db, grid, why);
    return e ? e : add_canary(matrix, db, grid, why);
}
