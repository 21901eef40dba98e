#include "results/page_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/page_frame.h"
#include "results/page_write.h"

/* The first two columns are the number and the name. */
static void put_row(FILE *out, const struct grid *g, size_t row)
{
    const struct grid_cell *cells = &g->cells[row * g->n_columns];
    (void)fprintf(out,
                  "<tr><td class=\"n\">%s</td><th scope=\"row\"><a "
                  "href=\"/experiment/%s\">",
                  cells[0].text, cells[0].text);
    page_text(out, cells[1].text);
    (void)fputs("</a></th>", out);
    for (size_t c = 2; c < g->n_columns; c++) {
        (void)fprintf(out, "<td%s>", g->columns[c].right ? " class=\"n\"" : "");
        page_text(out, cells[c].text);
        (void)fputs("</td>", out);
    }
    (void)fputs("</tr>\n", out);
}

static void put_page(FILE *out, const struct grid *g)
{
    page_begin(out, "pitwall: experiments", true);
    (void)fputs("<header><h1>Experiments</h1></header>\n<main id=\"main\">\n",
                out);
    if (!g->n_rows)
        (void)fputs("<p>There is no experiment in this store.</p>\n", out);
    page_table_begin(out, "newest first");
    (void)fputs("<thead><tr>", out);
    for (size_t c = 0; c < g->n_columns; c++)
        (void)fprintf(out, "<th scope=\"col\"%s>%s</th>",
                      g->columns[c].right ? " class=\"n\"" : "",
                      g->columns[c].name);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t r = 0; r < g->n_rows && r < PAGE_LIST_MAX; r++)
        put_row(out, g, r);
    page_table_end(out);
    if (g->n_rows > PAGE_LIST_MAX)
        (void)fprintf(out, "<p>And %zu older ones.</p>\n",
                      g->n_rows - PAGE_LIST_MAX);
    page_end(out, false, false);
}

enum err page_list(struct store *store, char **html, struct why *why)
{
    struct grid grid;
    size_t size = 0;
    *html = NULL;
    FILE *out = open_memstream(html, &size);
    if (!out)
        return err_errno(why, errno, "make a page");
    grid_init(&grid);
    enum err e = answer_list(store, NULL, NULL, &grid, why);
    if (!e)
        put_page(out, &grid);
    grid_fini(&grid);
    if (fclose(out) && !e)
        e = err_errno(why, errno, "make a page");
    if (e) {
        free(*html);
        *html = NULL;
    }
    return e;
}
