#include "results/report_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_words.h"

#define PIECES 3

/* Characters on a screen: every byte of UTF-8 but the continuing ones. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static const char *piece(const struct report_words *words, size_t i)
{
    const char *const pieces[PIECES] = {words->value, words->spread,
                                        words->mark};
    return pieces[i];
}

/* What is known of the whole before a figure is written. */
struct stack {
    const struct report *r;
    bool empty[REPORT_METRICS_MAX]; /* no cell has a figure of that metric */
    size_t (*wide)[PIECES]; /* [cols][n_metrics] of each piece at most, in the
                               column that it stands in; NULL: not padded */
    struct sheet *sheet;
};

static void widen(size_t wide[PIECES], const struct report_words *words)
{
    for (size_t p = 0; !words->ended && p < PIECES; p++)
        if (width(piece(words, p)) > wide[p])
            wide[p] = width(piece(words, p));
}

/* Where metrics go down, a column has those of all of them. */
static void find_widths(struct stack *s)
{
    const struct report *r = s->r;
    struct report_words words;
    for (size_t c = 0; c < r->pivot.cols.n; c++) {
        size_t(*wide)[PIECES] = s->wide + c * r->n_metrics;
        for (size_t i = 0; i < r->pivot.rows.n; i++)
            for (size_t m = 0; m < r->n_metrics; m++) {
                report_words(report_at(r, i, c, m), r->metrics[m], &words);
                widen(wide[r->metric_rows ? 0 : m], &words);
            }
        for (size_t m = 1; r->metric_rows && m < r->n_metrics; m++)
            memcpy(wide[m], wide[0], sizeof wide[m]);
    }
}

/* Of a plan that nothing was measured of yet all metrics are shown. */
static void find_empty(struct stack *s)
{
    const struct report *r = s->r;
    size_t n = r->pivot.rows.n * r->pivot.cols.n, all = 0;
    size_t own[REPORT_METRICS_MAX] = {0};
    for (size_t i = 0; i < n * r->n_metrics; i++) {
        own[i % r->n_metrics] += r->entries[i].centre.n > 0;
        all += r->entries[i].centre.n > 0;
    }
    for (size_t m = 0; m < r->n_metrics; m++)
        s->empty[m] = all && !own[m];
}

/* The pieces one after the other; padded: each as wide as in its column, the
 * value and the spread to the right, the mark to the left. */
static void join(const struct report_words *words, const size_t *wide,
                 char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    if (words->ended) {
        (void)snprintf(buf, size, "%s", words->value);
        return;
    }
    for (size_t p = 0; p < PIECES && n < size; p++) {
        const char *text = piece(words, p);
        int pad = wide ? (int)(wide[p] - width(text)) : 0;
        bool gap = p && (wide ? wide[p] > 0 : *text != '\0');
        n += (size_t)snprintf(buf + n, size - n, "%s%*s%s", gap ? " " : "",
                              p < 2 ? pad : 0, "", text);
        if (p == 2 && n < size)
            (void)snprintf(buf + n, size - n, "%*s", pad, "");
    }
}

static void add_factors(const struct report *r, struct grid *grid)
{
    for (size_t f = 0; f < r->pivot.rows.n_factors; f++)
        grid_column(grid, r->matrix.factors[r->pivot.rows.factors[f]].name, "",
                    false);
}

static size_t start_row(const struct report *r, size_t i, struct grid *grid)
{
    const struct pivot_axis *rows = &r->pivot.rows;
    size_t row = grid_row(grid);
    for (size_t f = 0; f < rows->n_factors; f++)
        grid_text(grid, row, f,
                  r->matrix.factors[rows->factors[f]]
                      .labels[rows->levels[i * rows->n_factors + f]]);
    return row;
}

/* The unit in a heading: not where each number has it. */
static const char *head_unit(const struct metric *metric)
{
    double factor = 1;
    const char *unit = metric_unit(metric, &factor);
    return report_number_has_unit(unit) ? "" : unit;
}

/* key: row, column and metric of the figure; at: where it goes. */
static void add_figure(const struct stack *s, const size_t key[3],
                       struct grid *grid, const size_t at[2])
{
    const struct report *r = s->r;
    struct report_words words;
    char text[192];
    report_words(report_at(r, key[0], key[1], key[2]), r->metrics[key[2]],
                 &words);
    join(&words, s->wide ? s->wide[key[1] * r->n_metrics + key[2]] : NULL, text,
         sizeof text);
    grid_text(grid, at[0], at[1], text);
}

static void note_metric(const struct metric *m, struct grid *grid)
{
    double factor = 1;
    grid_note(grid, "%s [%s]%s", m->name, metric_unit(m, &factor),
              m->direction == METRIC_HIGHER  ? ", higher is better"
              : m->direction == METRIC_LOWER ? ", lower is better"
                                             : "");
}

static void add_levels(const struct report *r, const char *one, bool right,
                       struct grid *grid)
{
    char label[128];
    for (size_t c = 0; c < r->pivot.cols.n; c++) {
        (void)report_label(r, &r->pivot.cols, c, label, sizeof label);
        grid_column(grid, *label ? label : one, "", right);
    }
}

/* One metric, the levels of the columns side by side. */
static void add_metric(const struct stack *s, size_t metric)
{
    const struct report *r = s->r;
    struct grid *grid = sheet_table(s->sheet);
    note_metric(r->metrics[metric], grid);
    add_factors(r, grid);
    add_levels(r, r->metrics[metric]->name, true, grid);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        size_t row = start_row(r, i, grid);
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            add_figure(s, (const size_t[]){i, c, metric}, grid,
                       (const size_t[]){row, r->pivot.rows.n_factors + c});
    }
}

static void set_bound(const struct report *r, size_t i, size_t c,
                      struct grid *grid, const size_t at[2])
{
    char text[160];
    grid_text(grid, at[0], at[1],
              bound_count_show(&r->bounds[i * r->pivot.cols.n + c], text,
                               sizeof text));
}

static void add_bounds(const struct stack *s)
{
    const struct report *r = s->r;
    struct grid *grid = sheet_table(s->sheet);
    grid_note(grid, "bound by, in how many trials");
    add_factors(r, grid);
    add_levels(r, "bound by", false, grid);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        size_t row = start_row(r, i, grid);
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            set_bound(r, i, c, grid,
                      (const size_t[]){row, r->pivot.rows.n_factors + c});
    }
}

/* Its words apart, so that they can stand under each other. */
static void add_heading(const struct metric *metric, struct grid *grid)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s", metric->name);
    for (char *p = name; *p; p++)
        if (*p == '_')
            *p = ' ';
    grid_column(grid, name, head_unit(metric), true);
}

/* All metrics side by side, without columns to tell apart. */
static void add_wide(const struct stack *s)
{
    const struct report *r = s->r;
    struct grid *grid = sheet_table(s->sheet);
    size_t n = r->pivot.rows.n_factors;
    add_factors(r, grid);
    for (size_t m = 0; m < r->n_metrics; m++)
        if (!s->empty[m])
            add_heading(r->metrics[m], grid);
    grid_column(grid, "bound by", "", false);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        size_t row = start_row(r, i, grid), column = n;
        for (size_t m = 0; m < r->n_metrics; m++)
            if (!s->empty[m])
                add_figure(s, (const size_t[]){i, 0, m}, grid,
                           (const size_t[]){row, column++});
        set_bound(r, i, 0, grid, (const size_t[]){row, column});
    }
}

/* A row per metric, the levels of the columns side by side, what bounded them
 * below. */
static void add_down(const struct stack *s)
{
    const struct report *r = s->r;
    struct grid *grid = sheet_table(s->sheet);
    size_t n = r->pivot.rows.n_factors;
    add_factors(r, grid);
    grid_column(grid, "metric", "", false);
    grid_column(grid, "unit", "", false);
    add_levels(r, "value", true, grid);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        for (size_t m = 0; m < r->n_metrics; m++) {
            if (s->empty[m])
                continue;
            size_t row = start_row(r, i, grid);
            grid_text(grid, row, n, r->metrics[m]->name);
            grid_text(grid, row, n + 1, head_unit(r->metrics[m]));
            for (size_t c = 0; c < r->pivot.cols.n; c++)
                add_figure(s, (const size_t[]){i, c, m}, grid,
                           (const size_t[]){row, n + 2 + c});
        }
        size_t row = start_row(r, i, grid);
        grid_text(grid, row, n, "bound by");
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            set_bound(r, i, c, grid, (const size_t[]){row, n + 2 + c});
    }
}

/* What the tables do not say themselves. */
static void add_legend(const struct stack *s)
{
    const struct report *r = s->r;
    struct grid *legend = &s->sheet->legend;
    size_t n = r->pivot.rows.n * r->pivot.cols.n, driver = 0, none = 0;
    char words[32], names[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < n * r->n_metrics; i++) {
        bool ended = report_ended(&r->entries[i], words, sizeof words);
        none += ended && !strcmp(words, "-") && !s->empty[i % r->n_metrics];
        driver += !ended && r->entries[i].n_driver > 0;
    }
    if (driver)
        grid_note(legend, REPORT_MARK_DRIVER
                  " the load generator was the limit in "
                  "some of the trials: it tells what the driver could do");
    if (none)
        grid_note(legend, "- no figure, such as a percentile of too few "
                          "requests (`pitwall metrics` says how many)");
    for (size_t m = 0; m < r->n_metrics && used < sizeof names; m++)
        if (s->empty[m])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used ? ", " : "", r->metrics[m]->name);
    if (used)
        grid_note(legend, "not measured here: %s", names);
}

void report_stack(const struct report *r, bool padded, struct sheet *sheet)
{
    struct stack s = {.r = r, .sheet = sheet};
    if (padded)
        s.wide = calloc(r->pivot.cols.n * r->n_metrics + 1, sizeof *s.wide);
    if (padded && !s.wide)
        abort();
    find_empty(&s);
    if (padded)
        find_widths(&s);
    if (r->metric_rows)
        add_down(&s);
    else if (r->pivot.cols.n_factors == 0)
        add_wide(&s);
    for (size_t m = 0; m < r->n_metrics; m++)
        if (!r->metric_rows && r->pivot.cols.n_factors && !s.empty[m])
            add_metric(&s, m);
    if (!r->metric_rows && r->pivot.cols.n_factors)
        add_bounds(&s);
    add_legend(&s);
    free(s.wide);
}
