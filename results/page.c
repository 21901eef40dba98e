#include "results/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/handle.h"
#include "results/heading.h"
#include "results/page_charts.h"
#include "results/page_effects.h"
#include "results/page_facts.h"
#include "results/page_frame.h"
#include "results/page_heat.h"
#include "results/page_words.h"
#include "results/page_write.h"

#define METRICS                                                                \
    "throughput,bytes_per_read,waste,latency_p50,latency_p99,"                 \
    "target_cpu_per_mb"

/* The data of the cells' charts and what root has already. */
static enum err put_data(FILE *out, const struct report *r, struct db *db,
                         struct jv *root, struct why *why)
{
    struct page_cells cells;
    page_cells_init(&cells, r, root);
    if (cells.left)
        (void)fprintf(out,
                      "<p>Curves of %u cells; %zu more are in the tables "
                      "alone (<code>--where</code> chooses).</p>\n",
                      PAGE_CELLS_MAX, cells.left);
    return page_data(out, &cells, db, root, why);
}

/* The notes of one part of the heading. */
typedef enum err part(const struct matrix *matrix, struct db *db,
                      struct grid *grid, struct why *why);

static enum err put_notes(FILE *out, const struct report *r, struct db *db,
                          part *fill, struct why *why)
{
    struct grid grid;
    grid_init(&grid);
    enum err e = fill(&r->matrix, db, &grid, why);
    if (!e)
        page_notes(out, &grid);
    grid_fini(&grid);
    return e;
}

/* What a served page has more: the way back, two cells of it, and how far it
 * is. */
static void put_live(FILE *out, const struct report *r)
{
    long long id = (long long)r->matrix.experiment;
    (void)fprintf(out,
                  "<p><a href=\"/\">All experiments</a> &middot; <a "
                  "href=\"/experiment/%lld/cells\">Two cells side by side</a>"
                  "</p>\n<p id=\"progress\" role=\"status\" "
                  "data-of=\"/experiment/%lld/progress\"></p>\n",
                  id, id);
}

static enum err put_top(FILE *out, const struct report *r, struct db *db,
                        bool live, struct why *why)
{
    struct grid title;
    grid_init(&title);
    enum err e = heading_title(&r->matrix, db, &title, why);
    if (!e) {
        page_begin(out, title.notes[0], live);
        (void)fputs("<header><h1>", out);
        page_text(out, title.notes[0]);
        (void)fputs("</h1>\n<nav aria-label=\"Parts\"><a "
                    "href=\"#answer\">Answer</a> <a href=\"#matrix\">Matrix"
                    "</a> <a href=\"#limits\">Limits</a> <a "
                    "href=\"#curves\">Curves</a> <a href=\"#bars\">Collector, "
                    "memory, link</a> <a href=\"#trust\">Trust</a> <a "
                    "href=\"#environment\">Environment</a> <a "
                    "href=\"#provenance\">Provenance</a></nav></header>\n"
                    "<main id=\"main\">\n",
                    out);
        if (live)
            put_live(out, r);
    }
    grid_fini(&title);
    return e;
}

static enum err put_answer(FILE *out, const struct report *r, struct db *db,
                           struct jv *root, struct why *why)
{
    struct grid grid;
    page_section(out, "answer", "Answer");
    enum err e = page_words(out, r, db, why);
    if (!e)
        e = page_effects(out, r, db, root, why);
    if (e)
        return e;
    page_section(out, "matrix", "Matrix");
    (void)fputs("<p>The stronger a cell's colour, the more it has, between the "
                "least and the most of its table.</p>\n",
                out);
    page_heat(out, r);
    grid_init(&grid);
    report_notes(r, &grid);
    grid_note(&grid, "† the load generator was the limit in some of the "
                     "trials: it tells what the driver could do");
    page_notes(out, &grid);
    grid_fini(&grid);
    page_section(out, "limits", "What was the limit");
    page_bounds(out, r);
    return ERR_OK;
}

static enum err put_page(FILE *out, const struct report *r, struct db *db,
                         bool live, struct why *why)
{
    struct jv *root = jv_new(JV_OBJECT);
    enum err e = put_top(out, r, db, live, why);
    if (!e)
        e = put_answer(out, r, db, root, why);
    if (!e) {
        page_charts(out);
        e = put_data(out, r, db, root, why);
    }
    jv_free(root);
    if (!e) {
        page_section(out, "trust", "How far to trust it");
        e = put_notes(out, r, db, heading_trust, why);
    }
    if (!e) {
        page_section(out, "environment", "Environment");
        e = put_notes(out, r, db, heading_conditions, why);
    }
    if (!e) {
        (void)fputs("<details><summary>All facts of the machines</summary>\n",
                    out);
        e = page_machines(out, db, r->matrix.experiment, why);
        (void)fputs("</details>\n", out);
    }
    if (!e) {
        page_section(out, "provenance", "Provenance");
        e = page_provenance(out, db, r->matrix.experiment, why);
    }
    if (!e)
        page_end(out, true, live);
    return e;
}

static enum err write_page(const struct report *r, struct db *db, bool live,
                           char **html, struct why *why)
{
    size_t size = 0;
    if (r->metric_rows)
        return err_set(why, ERR_USAGE,
                       "--rows metric: a page has a table per metric anyway");
    FILE *out = open_memstream(html, &size);
    if (!out)
        return err_errno(why, errno, "make a page");
    enum err e = put_page(out, r, db, live, why);
    if (fclose(out) && !e)
        e = err_errno(why, errno, "make a page");
    if (e) {
        free(*html);
        *html = NULL;
    }
    return e;
}

enum err page_report(struct store *store, int64_t experiment,
                     const struct page_options *options, char **html,
                     struct why *why)
{
    struct report r = {.n_metrics = 0};
    struct answer_report own = options->report;
    if (!own.metrics)
        own.metrics = METRICS;
    *html = NULL;
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = report_load(&r, store->db, experiment, &own, why);
    if (!e)
        e = write_page(&r, store->db, options->live, html, why);
    e = db_end(store->db, e, why);
    report_fini(&r);
    return e;
}
