/* A comparison as a table: for people one line per metric and contender with
 * the words, for programs every number in a column of its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/compare_rows.h"
#include "results/heading.h"
#include "results/look.h"

#define UNPAIRED                                                               \
    "not interleaved: drift between the two sittings can produce this"

/* "24 trials: 22 ok (3 bound by the driver), 2 oom" */
static void show_ends(const struct compare_part *p, char *buf, size_t size)
{
    static const struct {
        enum matrix_end end;
        const char *word;
    } others[] = {{MATRIX_OOM, "oom"},
                  {MATRIX_FAILED, "failed"},
                  {MATRIX_INVALID, "invalid"},
                  {MATRIX_OPEN, "open"}};
    size_t n = (size_t)snprintf(buf, size, "%zu trials: %zu ok", p->n_trials,
                                p->ends[MATRIX_OK]);
    if (p->n_driver)
        n += (size_t)snprintf(buf + n, size - n, " (%zu bound by the driver)",
                              p->n_driver);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (p->ends[others[i].end])
            n += (size_t)snprintf(buf + n, size - n, ", %zu %s",
                                  p->ends[others[i].end], others[i].word);
}

static void note_parts(const struct compare *c, struct grid *grid)
{
    char ends[160];
    for (size_t i = 0; i < c->n_parts; i++) {
        const struct compare_part *p = &c->parts[i];
        show_ends(p, ends, sizeof ends);
        grid_note(grid, "%s %s: %zu cell%s, %s", i ? "contender" : "base",
                  p->text, p->n_cells, p->n_cells == 1 ? "" : "s", ends);
    }
}

/* Cells of a side that have a counterpart. */
static size_t cells_of(const struct pairing *p, enum pairing_side side)
{
    size_t n = 0;
    for (size_t g = 0; g < p->n_groups; g++)
        n += p->part[side].sizes[g];
    return n;
}

static void note_groups(const struct compare *c, size_t i, struct grid *grid)
{
    const struct pairing *p = &c->pairings[i];
    const char *text = c->parts[i + 1].text;
    size_t base = cells_of(p, PAIRING_BASE);
    size_t others = cells_of(p, PAIRING_CONTENDER);
    if (base == p->n_groups && others == p->n_groups)
        grid_note(grid,
                  "%s: %zu pairs of cells, alike in %s; a block's difference "
                  "is their mean",
                  text, p->n_groups, p->alike);
    else
        grid_note(grid,
                  "%s: %zu of its cells against %zu of the base, averaged%s%s",
                  text, others, base, *p->alike ? " for each level of " : "",
                  p->alike);
}

/* Which cells meet, once for each way in which they do. */
static void note_pairing(const struct compare *c, size_t i, struct grid *grid)
{
    const struct pairing *p = &c->pairings[i];
    const char *text = c->parts[i + 1].text;
    if (!p->paired && c->parts[0].experiment == c->parts[i + 1].experiment)
        grid_note(grid, "%s: " UNPAIRED "; its file names no blocks", text);
    else if (!p->paired)
        grid_note(grid, "%s: " UNPAIRED "; experiment %lld is not %lld", text,
                  (long long)c->parts[0].experiment->id,
                  (long long)c->parts[i + 1].experiment->id);
    if (p->n_groups > 1 || cells_of(p, PAIRING_BASE) > 1 ||
        cells_of(p, PAIRING_CONTENDER) > 1)
        note_groups(c, i, grid);
    if (p->n_ended == p->n_groups)
        grid_note(grid,
                  "%s: not compared: trials failed or ran out of memory in "
                  "%s",
                  text,
                  p->n_groups > 1 ? "every pair of cells" : "these cells");
    else if (p->n_ended)
        grid_note(grid,
                  "%s: over %zu of the pairs: in %zu a trial failed or ran "
                  "out of memory",
                  text, p->n_groups - p->n_ended, p->n_ended);
}

/* Blocks whose order is not drawn anew may favour a side. */
static void note_order(const struct compare *c, struct grid *grid)
{
    for (size_t i = 0; i < c->n_experiments; i++)
        if (strcmp(c->experiments[i].order, "blocks"))
            grid_note(grid,
                      "experiment %lld ran in order %s, not in blocks of "
                      "random order: drift can favour a side",
                      (long long)c->experiments[i].id, c->experiments[i].order);
}

static bool any_bh(const struct compare *c)
{
    for (size_t i = 0; i < c->lines.n; i++)
        if (compare_adjust(c, &c->lines.lines[i]) == FINDING_BH)
            return true;
    return false;
}

static bool any_holm(const struct compare *c)
{
    for (size_t i = 0; i < c->lines.n; i++)
        if (compare_adjust(c, &c->lines.lines[i]) == FINDING_HOLM)
            return true;
    return false;
}

static void note_rules(const struct compare *c, struct grid *grid)
{
    char adjust[120] = "";
    if (c->n_parts > 2)
        (void)snprintf(adjust, sizeof adjust,
                       "; p adjusted for %zu contenders (%s%s%s)",
                       c->n_parts - 1, any_holm(c) ? "Holm" : "",
                       any_holm(c) && any_bh(c) ? ", other metrics " : "",
                       any_bh(c) ? "Benjamini-Hochberg" : "");
    grid_note(grid,
              "margin %.3g%%, alpha %.3g%%%s; a change is the contender's "
              "against the base",
              100 * c->options->margin_ratio, 100 * c->alpha, adjust);
}

static void note_marks(const struct compare *c, struct grid *grid)
{
    for (int m = 0; m < FINDING_MARKS; m++) {
        bool any = false;
        for (size_t i = 0; i < c->n_rows; i++)
            any |= finding_marked(&c->rows[i].finding, (enum finding_mark)m);
        if (any)
            grid_note(grid, "%s", finding_legend((enum finding_mark)m));
    }
}

/* The command that would settle what is declared and open. */
static void note_more(const struct compare *c, struct grid *grid)
{
    size_t more = 0;
    bool beyond = false; /* a difference that no number of blocks settles */
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct finding *f = &c->rows[i].finding;
        if (!c->rows[i].line->declared || !f->paired ||
            f->verdict.outcome != STAT_INCONCLUSIVE)
            continue;
        beyond |= !f->more;
        more = f->more > more ? f->more : more;
    }
    if (more)
        grid_note(grid, "to settle %s: `pitwall extend %lld -n +%zu`",
                  beyond ? "some of it" : "it",
                  (long long)c->parts[0].experiment->id, more);
}

static void show_number(struct grid *grid, size_t row, size_t column, double v)
{
    char text[32];
    if (isnan(v))
        grid_text(grid, row, column, "-");
    else
        grid_value(grid, row, column, v, metric_show(v, text, sizeof text));
}

/* Which columns a table for people needs. */
struct layout {
    bool tasks, contenders;
};

static struct layout layout_of(const struct compare *c)
{
    struct layout l = {.contenders = c->n_parts > 2};
    for (size_t i = 0; i < c->lines.n; i++)
        l.tasks |= c->lines.lines[i].task[0] != '\0';
    return l;
}

static void add_columns(const struct layout *l, double confidence,
                        struct grid *grid)
{
    char interval[40];
    grid_column(grid, "metric", "", false);
    if (l->tasks)
        grid_column(grid, "task", "", false);
    if (l->contenders)
        grid_column(grid, "contender", "", false);
    grid_column(grid, "base", "", true);
    grid_column(grid, l->contenders ? "it" : "contender", "", true);
    grid_column(grid, "unit", "", false);
    (void)snprintf(interval, sizeof interval, "%.3g%% interval",
                   100 * confidence);
    grid_column(grid, "change", "", true);
    grid_column(grid, interval, "", true);
    grid_column(grid, l->contenders ? "adj.p" : "p", "", true);
    grid_column(grid, "blocks", "", true);
    grid_column(grid, "verdict", "", false);
}

static void add_finding(const struct compare_row *r, size_t row, size_t at,
                        struct grid *grid)
{
    char text[160];
    const struct finding *f = &r->finding;
    double factor = r->line->factor;
    grid_text(grid, row, at++, r->line->unit);
    grid_text(grid, row, at++,
              finding_show_change(f, factor, text, sizeof text));
    grid_text(grid, row, at++,
              finding_show_interval(f, factor, text, sizeof text));
    grid_text(grid, row, at++,
              finding_show_p(f->p_adjusted, text, sizeof text));
    (void)snprintf(text, sizeof text, "%zu", f->test.n);
    grid_value(grid, row, at++, (double)f->test.n, text);
    grid_text(grid, row, at, finding_words(f, text, sizeof text));
}

static void add_rows(const struct compare *c, struct grid *grid)
{
    const struct layout l = layout_of(c);
    add_columns(&l, 1 - c->alpha, grid);
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compare_row *r = &c->rows[i];
        size_t row = grid_row(grid), at = 0;
        bool again = i && c->rows[i - 1].line == r->line;
        if (!again)
            grid_text(grid, row, at, r->line->label);
        at++;
        if (l.tasks)
            grid_text(grid, row, at++, again ? "" : r->line->task);
        if (l.contenders)
            grid_text(grid, row, at++, c->parts[r->contender + 1].text);
        show_number(grid, row, at++, r->base);
        show_number(grid, row, at++, r->value);
        add_finding(r, row, at, grid);
    }
}

/* For programs ---------------------------------------------------------- */

static const char *const machine_columns[] = {
    "metric",     "task",   "unit",    "contender", "base",        "value",
    "change",     "low",    "high",    "p",         "adjusted_p",  "equal_p",
    "n",          "pairs",  "verdict", "beyond",    "more_blocks", "rank_low",
    "rank_high",  "rank_p", "paired",  "margin",    "alpha",       "adjust",
    "experiment", "seed"};

static void put(struct grid *grid, size_t row, size_t *at, double v)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.17g", v);
    if (isfinite(v))
        grid_value(grid, row, (*at), v, text);
    (*at)++;
}

/* The rank test's interval in the metric's own direction, as the change is. */
static void put_ranks(const struct finding *f, double factor, struct grid *grid,
                      size_t row, size_t *at)
{
    double low = f->ranked ? f->shift.low : NAN;
    double high = f->ranked ? f->shift.high : NAN;
    if (f->rule.sign < 0) {
        double swap = low;
        low = -high;
        high = -swap;
    }
    put(grid, row, at, f->rule.ratio ? expm1(low) : factor * low);
    put(grid, row, at, f->rule.ratio ? expm1(high) : factor * high);
    put(grid, row, at, f->p_rank);
}

static void add_numbers(const struct compare *c, const struct compare_row *r,
                        struct grid *grid)
{
    const struct finding *f = &r->finding;
    struct finding_change change = finding_change(f);
    double factor = f->rule.ratio ? 1 : r->line->factor;
    size_t row = grid_row(grid), at = 0;
    grid_text(grid, row, at++, r->line->metric->name);
    grid_text(grid, row, at++, r->line->task);
    grid_text(grid, row, at++, r->line->unit);
    grid_text(grid, row, at++, c->parts[r->contender + 1].text);
    put(grid, row, &at, r->base);
    put(grid, row, &at, r->value);
    put(grid, row, &at, factor * change.change);
    put(grid, row, &at, factor * change.low);
    put(grid, row, &at, factor * change.high);
    put(grid, row, &at, f->test.p_diff);
    put(grid, row, &at, f->p_adjusted);
    put(grid, row, &at, f->test.p_equal);
    put(grid, row, &at, (double)f->test.n);
    put(grid, row, &at, (double)r->n_groups);
    grid_text(grid, row, at++, finding_word(f));
    put(grid, row, &at, f->verdict.beyond);
    put(grid, row, &at, f->more ? (double)f->more : NAN);
    put_ranks(f, factor, grid, row, &at);
    put(grid, row, &at, f->paired);
    put(grid, row, &at, f->rule.margin_ratio);
    put(grid, row, &at, f->rule.alpha);
    grid_text(grid, row, at++,
              compare_adjust(c, r->line) == FINDING_HOLM ? "holm" : "bh");
    const struct compare_experiment *x = c->parts[r->contender + 1].experiment;
    put(grid, row, &at, (double)x->id);
    grid_text(grid, row, at, x->seed);
}

static void add_machine(const struct compare *c, struct grid *grid)
{
    for (size_t i = 0; i < sizeof machine_columns / sizeof *machine_columns;
         i++)
        grid_column(grid, machine_columns[i], "", true);
    for (size_t i = 0; i < c->n_rows; i++)
        add_numbers(c, &c->rows[i], grid);
}

/* What the verdicts rest on. Of several experiments the one that was looked at
 * most often says what is left of alpha. */
static enum err add_facts(const struct compare *c, struct db *db,
                          struct grid *grid, struct why *why)
{
    int64_t most = 0, looks = 0;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < c->n_experiments; i++) {
        e = look_count(db, c->experiments[i].id, &looks, why);
        most = looks > most ? looks : most;
    }
    grid_fact_text(grid, "seed", c->experiments[0].seed);
    grid_fact(grid, "margin", c->options->margin_ratio);
    grid_fact(grid, "alpha", c->options->alpha);
    grid_fact(grid, "alpha_left", c->alpha);
    grid_fact(grid, "looks", (double)most);
    return e;
}

enum err compare_show(const struct compare *c, struct db *db, struct grid *grid,
                      struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < c->n_experiments; i++) {
        const struct matrix *m = &c->experiments[i].matrix;
        e = heading_title(m, db, grid, why);
        if (!e)
            e = heading_plan(m, db, grid, why);
        if (!e)
            e = heading_trust(m, db, grid, why);
    }
    if (e)
        return e;
    note_parts(c, grid);
    for (size_t i = 0; i + 1 < c->n_parts; i++)
        note_pairing(c, i, grid);
    note_order(c, grid);
    note_rules(c, grid);
    note_marks(c, grid);
    note_more(c, grid);
    if (c->options->machine)
        add_machine(c, grid);
    else
        add_rows(c, grid);
    return add_facts(c, db, grid, why);
}
