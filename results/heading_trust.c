/* What a reader of an experiment's figures must know to believe them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/bound_count.h"
#include "results/heading.h"
#include "results/look.h"
#include "results/stat_dist.h"
#include "results/stat_verdict.h"

#define CANARY_ALPHA  0.01
#define CANARY_MARGIN 0.02
#define NOTES_MAX     16
#define NOTE_BYTES    400

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
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

/* By which rules trials are invalid, most first. */
static enum err add_invalid(const struct matrix *m, struct db *db,
                            struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select group_concat(rule || ' ' || n, ', ') from (select i.rule, "
        "count(*) n from v_trial v join invalid i on i.attempt = v.attempt "
        "where v.experiment = ? group by i.rule order by n desc, i.rule)",
        DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && *text(stmt, 0))
        grid_note(grid, "invalid by rule: %s (left out of every figure)",
                  text(stmt, 0));
    db_finish(stmt);
    return e;
}

/* One note, on one line. */
static void add_note(struct db_stmt *stmt, struct grid *grid)
{
    char line[NOTE_BYTES], on[32] = "";
    (void)snprintf(line, sizeof line, "%s", text(stmt, 2));
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    if (db_column(stmt, 1).type == DB_INT)
        (void)snprintf(on, sizeof on, " on trial %lld",
                       (long long)db_column(stmt, 1).i);
    grid_note(grid, "note%s, %s: %s", on, text(stmt, 0), line);
}

enum err heading_notes(struct db *db, int64_t experiment, int64_t trial,
                       struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select at, tid, text, n from (select n.id, n.at, t.tid, n.text, "
        "count(*) over () n from note n left join trial t on t.id = n.trial "
        "where n.experiment = ?1 and (?2 = 0 or n.trial is null or n.trial = "
        "?2) order by n.id desc limit ?3) order by id",
        DB_VALUES(DB_I(experiment), DB_I(trial), DB_I(NOTES_MAX)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && db_column(stmt, 3).i > NOTES_MAX)
        grid_note(grid,
                  "%lld notes, the newest %d:", (long long)db_column(stmt, 3).i,
                  NOTES_MAX);
    while (!e && row) {
        add_note(stmt, grid);
        e = db_step(stmt, &row, why);
    }
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

size_t heading_canary(const struct matrix *m, const double *values,
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

/* Whether the canary's difference is one that a lab at rest would not show:
 * unlikely by chance, and not within the margin of comparisons. */
static bool is_untrustworthy(size_t n, double mean, double deviation)
{
    double se = deviation / sqrt((double)n), df = (double)n - 1;
    double margin = stat_margin(CANARY_MARGIN);
    if (n < STAT_BLOCKS_MIN || !(se > 0) ||
        stat_t_both(mean / se, df) > CANARY_ALPHA)
        return false;
    return stat_t_upper((margin - fabs(mean)) / se, df) > 0.05;
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
        size_t n = heading_canary(m, values, &mean, &deviation);
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
        if (is_untrustworthy(n, mean, deviation))
            grid_note(grid, "THE LAB ITSELF IS NOT TRUSTWORTHY IN THIS "
                            "SITTING: one and the same cell differs from "
                            "itself");
    }
    free(values);
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

enum err heading_trust(const struct matrix *matrix, struct db *db,
                       struct grid *grid, struct why *why)
{
    add_ends(matrix, grid);
    enum err e = add_invalid(matrix, db, grid, why);
    if (!e)
        e = add_rules(matrix, db, grid, why);
    if (!e)
        e = add_assumed(matrix, db, grid, why);
    if (!e)
        e = look_notes(db, matrix->experiment, grid, why);
    if (!e)
        e = add_canary(matrix, db, grid, why);
    return e ? e : heading_notes(db, matrix->experiment, 0, grid, why);
}
