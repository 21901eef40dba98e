#include "results/page_pair.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/handle.h"
#include "results/page_charts.h"
#include "results/page_frame.h"
#include "results/page_write.h"
#include "results/report_words.h"

/* Both cells, as indexes into the matrix, and room for a metric's values. */
struct pair {
    const struct report *report;
    size_t cells[2];
    double *values, *scratch; /* [n_trials] each */
};

/* The matrix' cell in a place, SIZE_MAX: none. */
static size_t cell_at(const struct matrix *m, size_t place)
{
    for (size_t c = 0; c < m->n_cells; c++)
        if (m->cells[c].purpose == PURPOSE_MEASURE && !place--)
            return c;
    return SIZE_MAX;
}

static void put_choice(FILE *out, const struct matrix *m, const char *name,
                       size_t chosen)
{
    size_t place = 0;
    (void)fprintf(out, "<label>%s <select name=\"%s\">", name, name);
    for (size_t c = 0; c < m->n_cells; c++) {
        if (m->cells[c].purpose != PURPOSE_MEASURE)
            continue;
        (void)fprintf(out, "<option value=\"%zu\"%s>", place++,
                      c == chosen ? " selected" : "");
        page_text(out, m->cells[c].label);
        (void)fputs("</option>", out);
    }
    (void)fputs("</select></label>\n", out);
}

static struct report_entry entry_of(const struct pair *p, size_t cell,
                                    const struct metric *metric)
{
    const struct matrix *m = &p->report->matrix;
    struct report_entry out = {.n_trials = 0};
    size_t n = 0;
    for (size_t t = 0; t < m->n_trials; t++) {
        const struct matrix_trial *trial = &m->trials[t];
        if (trial->cell != cell)
            continue;
        out.n_trials++;
        out.ends[trial->end]++;
        if (trial->end != MATRIX_OK || !isfinite(p->values[t]))
            continue;
        p->scratch[n++] = p->values[t];
        out.n_driver += trial->bound == BOUND_DRIVER;
    }
    out.centre = centre_of(p->scratch, n, metric->kind == METRIC_RATIO);
    return out;
}

static void put_words(FILE *out, const struct report_entry *entry,
                      const struct metric *metric)
{
    struct report_words words;
    report_words(entry, metric, &words);
    (void)fputs("<td class=\"n\">", out);
    page_text(out, words.value);
    (void)fputs(" <small>", out);
    page_text(out, words.spread);
    if (words.mark[0])
        (void)fputc(' ', out);
    page_text(out, words.mark);
    (void)fputs("</small></td>", out);
}

static void put_row(FILE *out, const struct pair *p,
                    const struct metric *metric)
{
    const struct report_entry a = entry_of(p, p->cells[0], metric);
    const struct report_entry b = entry_of(p, p->cells[1], metric);
    double factor = 1, ratio = b.centre.value / a.centre.value;
    const char *unit = metric_unit(metric, &factor);
    if (!a.centre.n && !b.centre.n)
        return;
    (void)fprintf(out, "<tr><th scope=\"row\">%s</th><td>%s</td>", metric->name,
                  report_number_has_unit(unit) ? "" : unit);
    put_words(out, &a, metric);
    put_words(out, &b, metric);
    (void)fputs("<td class=\"n\">", out);
    if (isfinite(ratio))
        (void)fprintf(out, "%.3g", ratio);
    (void)fputs("</td></tr>\n", out);
}

static enum err put_rows(FILE *out, const struct pair *p, struct db *db,
                         struct why *why)
{
    const struct metric *metric = NULL;
    enum err e = ERR_OK;
    page_table_begin(out, "every figure that either has");
    (void)fputs("<thead><tr><th scope=\"col\">metric</th><th scope=\"col\">"
                "unit</th><th scope=\"col\" class=\"n\">a</th><th "
                "scope=\"col\" class=\"n\">b</th><th scope=\"col\" "
                "class=\"n\">b : a</th></tr></thead>\n<tbody>\n",
                out);
    for (size_t i = 0; !e && (metric = metric_at(i)); i++) {
        e = matrix_values(&p->report->matrix, db, metric, p->values, why);
        if (!e)
            put_row(out, p, metric);
    }
    page_table_end(out);
    return e;
}

static enum err put_data(FILE *out, const struct pair *p, struct db *db,
                         struct why *why)
{
    struct page_cells cells = {.report = p->report};
    struct jv *root = jv_new(JV_OBJECT);
    struct jv *list = jv_add(root, "cells", JV_ARRAY);
    for (size_t i = 0; i < 2; i++) {
        if (i && p->cells[1] == p->cells[0])
            break;
        cells.cells[i] = p->cells[i];
        cells.out[i] = jv_add(list, NULL, JV_OBJECT);
        cells.n = i + 1;
        jv_add_text(cells.out[i], "label",
                    p->report->matrix.cells[p->cells[i]].label);
    }
    enum err e = page_data(out, &cells, db, root, why);
    jv_free(root);
    return e;
}

static enum err put_page(FILE *out, const struct pair *p, struct db *db,
                         struct why *why)
{
    const struct matrix *m = &p->report->matrix;
    page_begin(out, "pitwall: two cells", true);
    (void)fprintf(out,
                  "<header><h1>Two cells of experiment %lld</h1>\n<p><a "
                  "href=\"/\">All experiments</a> &middot; <a "
                  "href=\"/experiment/%lld\">The experiment</a></p></header>\n"
                  "<main id=\"main\">\n<form method=\"get\">\n",
                  (long long)m->experiment, (long long)m->experiment);
    put_choice(out, m, "a", p->cells[0]);
    put_choice(out, m, "b", p->cells[1]);
    (void)fputs("<button>Show</button>\n</form>\n", out);
    page_charts(out);
    enum err e = put_data(out, p, db, why);
    if (e)
        return e;
    page_section(out, "figures", "Figures");
    (void)fputs("<p>The ratio is no verdict: <code>pitwall compare</code> "
                "gives one. † the load generator was the limit in some of the "
                "trials.</p>\n",
                out);
    e = put_rows(out, p, db, why);
    if (!e)
        page_end(out, true, true);
    return e;
}

static enum err write_page(struct pair *p, const size_t places[2],
                           struct db *db, char **html, struct why *why)
{
    const struct matrix *m = &p->report->matrix;
    size_t size = 0;
    for (size_t i = 0; i < 2; i++) {
        p->cells[i] = cell_at(m, places[i]);
        if (p->cells[i] == SIZE_MAX)
            return err_set(why, ERR_NOTFOUND, "experiment %lld has no cell %zu",
                           (long long)m->experiment, places[i]);
    }
    p->values = calloc(m->n_trials + 1, sizeof *p->values);
    p->scratch = calloc(m->n_trials + 1, sizeof *p->scratch);
    if (!p->values || !p->scratch)
        return err_set(why, ERR_NOMEM, "make a page");
    FILE *out = open_memstream(html, &size);
    if (!out)
        return err_errno(why, errno, "make a page");
    enum err e = put_page(out, p, db, why);
    if (fclose(out) && !e)
        e = err_errno(why, errno, "make a page");
    if (e) {
        free(*html);
        *html = NULL;
    }
    return e;
}

enum err page_pair(struct store *store, int64_t experiment,
                   const size_t places[2], char **html, struct why *why)
{
    const struct answer_report options = {
        .rows = "", .cols = "", .metrics = "throughput"};
    struct report r = {.n_metrics = 0};
    struct pair pair = {.report = &r};
    *html = NULL;
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = report_load(&r, store->db, experiment, &options, why);
    if (!e)
        e = write_page(&pair, places, store->db, html, why);
    e = db_end(store->db, e, why);
    free(pair.values);
    free(pair.scratch);
    report_fini(&r);
    return e;
}
