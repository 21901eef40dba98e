#include "results/heading.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"
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

static void add_title(const struct matrix *m, struct db_stmt *stmt,
                      struct grid *grid)
{
    grid_note(grid, "%s: experiment %lld, %s, %s", text(stmt, 0),
              (long long)m->experiment, text(stmt, 1), text(stmt, 2));
    if (m->imported)
        grid_note(grid, "imported: others measured it, nothing is gated on it");
}

static void add_plan(const struct matrix *m, struct db_stmt *stmt,
                     struct grid *grid)
{
    char warmup[24], window[24];
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
                               void (*add)(const struct matrix *,
                                           struct db_stmt *, struct grid *),
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
        add(m, stmt, grid);
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

enum err heading_emulated(struct db *db, int64_t experiment, struct grid *grid,
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

enum err heading_title(const struct matrix *matrix, struct db *db,
                       struct grid *grid, struct why *why)
{
    return add_experiment(matrix, db, add_title, grid, why);
}

enum err heading_plan(const struct matrix *matrix, struct db *db,
                      struct grid *grid, struct why *why)
{
    return add_experiment(matrix, db, add_plan, grid, why);
}

enum err heading_conditions(const struct matrix *matrix, struct db *db,
                            struct grid *grid, struct why *why)
{
    enum err e = heading_plan(matrix, db, grid, why);
    if (!e)
        e = add_machines(matrix, db, grid, why);
    if (!e)
        e = heading_emulated(db, matrix->experiment, grid, why);
    if (!e)
        e = add_shared(matrix, db, grid, why);
    return e ? e : ceiling_notes(db, matrix->experiment, grid, why);
}

enum err heading_add(const struct matrix *matrix, struct db *db,
                     struct grid *grid, struct why *why)
{
    enum err e = heading_title(matrix, db, grid, why);
    if (!e)
        e = heading_conditions(matrix, db, grid, why);
    return e ? e : heading_trust(matrix, db, grid, why);
}
