#include "results/report_stack.h"

#include <stdio.h>
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

/* How wide each piece is at most in a column of metric over all rows; the
 * metric too where that is what the rows are. */
static void widths(const struct report *r, size_t col, size_t metric,
                   size_t out[PIECES])
{
    struct report_words words;
    memset(out, 0, PIECES * sizeof *out);
    for (size_t i = 0; i < r->pivot.rows.n; i++)
        for (size_t m = r->metric_rows ? 0 : metric;
             m < (r->metric_rows ? r->n_metrics : metric + 1); m++) {
            report_words(report_at(r, i, col, m), r->metrics[m], &words);
            for (size_t p = 0; !words.ended && p < PIECES; p++)
                if (width(piece(&words, p)) > out[p])
                    out[p] = width(piece(&words, p));
        }
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

/* A metric that no cell has a figure of; of a plan that nothing was measured of
 * yet all are shown. */
static bool is_empty(const struct report *r, size_t metric)
{
    size_t n = r->pivot.rows.n * r->pivot.cols.n, all = 0, own = 0;
    for (size_t i = 0; i < n * r->n_metrics; i++) {
        bool has = r->entries[i].centre.n > 0;
        all += has;
        own += has && i % r->n_metrics == metric;
    }
    return all && !own;
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

static void add_figure(const struct report *r, const size_t key[3], bool padded,
                       struct grid *grid, const size_t at[2])
{
    struct report_words words;
    char text[192];
    size_t wide[PIECES];
    report_words(report_at(r, key[0], key[1], key[2]), r->metrics[key[2]],
                 &words);
    if (padded)
        widths(r, key[1], key[2], wide);
    join(&words, padded ? wide : NULL, text, sizeof text);
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
static void add_metric(const struct report *r, size_t metric, bool padded,
                       struct sheet *sheet)
{
    struct grid *grid = sheet_table(sheet);
    note_metric(r->metrics[metric], grid);
    add_factors(r, grid);
    add_levels(r, r->metrics[metric]->name, true, grid);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        size_t row = start_row(r, i, grid);
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            add_figure(r, (const size_t[]){i, c, metric}, padded, grid,
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

static void add_bounds(const struct report *r, struct sheet *sheet)
{
    struct grid *grid = sheet_table(sheet);
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
static void add_wide(const struct report *r, bool padded, struct sheet *sheet)
{
    struct grid *grid = sheet_table(sheet);
    size_t n = r->pivot.rows.n_factors;
    add_factors(r, grid);
    for (size_t m = 0; m < r->n_metrics; m++)
        if (!is_empty(r, m))
            add_heading(r->metrics[m], grid);
    grid_column(grid, "bound by", "", false);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        size_t row = start_row(r, i, grid), column = n;
        for (size_t m = 0; m < r->n_metrics; m++)
            if (!is_empty(r, m))
                add_figure(r, (const size_t[]){i, 0, m}, padded, grid,
                           (const size_t[]){row, column++});
        set_bound(r, i, 0, grid, (const size_t[]){row, column});
    }
}

/* A row per metric, the levels of the columns side by side, what bounded them
 * below. */
static void add_down(const struct report *r, bool padded, struct sheet *sheet)
{
    struct grid *grid = sheet_table(sheet);
    size_t n = r->pivot.rows.n_factors;
    add_factors(r, grid);
    grid_column(grid, "metric", "", false);
    grid_column(grid, "unit", "", false);
    add_levels(r, "value", true, grid);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        for (size_t m = 0; m < r->n_metrics; m++) {
            if (is_empty(r, m))
                continue;
            size_t row = start_row(r, i, grid);
            grid_text(grid, row, n, r->metrics[m]->name);
            grid_text(grid, row, n + 1, head_unit(r->metrics[m]));
            for (size_t c = 0; c < r->pivot.cols.n; c++)
                add_figure(r, (const size_t[]){i, c, m}, padded, grid,
                           (const size_t[]){row, n + 2 + c});
        }
        size_t row = start_row(r, i, grid);
        grid_text(grid, row, n, "bound by");
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            set_bound(r, i, c, grid, (const size_t[]){row, n + 2 + c});
    }
}

/* What the tables do not say themselves. */
static void add_legend(const struct report *r, struct grid *legend)
{
    size_t n = r->pivot.rows.n * r->pivot.cols.n, driver = 0, none = 0;
    char words[32], names[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < n * r->n_metrics; i++) {
        bool ended = report_ended(&r->entries[i], words, sizeof words);
        none += ended && !strcmp(words, "-") && !is_empty(r, i % r->n_metrics);
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
        if (is_empty(r, m))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used ? ", " : "", r->metrics[m]->name);
    if (used)
        grid_note(legend, "not measured here: %s", names);
}

void report_stack(const struct report *r, bool padded, struct sheet *sheet)
{
    if (r->metric_rows)
        add_down(r, padded, sheet);
    else if (r->pivot.cols.n_factors == 0)
        add_wide(r, padded, sheet);
    else {
        for (size_t m = 0; m < r->n_metrics; m++)
            if (!is_empty(r, m))
                add_metric(r, m, padded, sheet);
        add_bounds(r, sheet);
    }
    add_legend(r, &sheet->legend);
}
