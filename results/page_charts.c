#include "results/page_charts.h"

#include "results/page_bars.h"
#include "results/page_frame.h"
#include "results/page_hist.h"
#include "results/page_series.h"
#include "results/page_write.h"

static const struct page_chart curves[] = {
    {"rate", "Throughput over time",
     "Documents acknowledged per second; before second 0 is warm-up (shaded), "
     "which is in no figure. The line is the mean over a cell's iterations, "
     "the band reaches from the least to the most."},
    {"latency", "Latency by percentile",
     "From the moment at which a request was due, so that waiting in the "
     "driver counts. Percentiles without ten requests beyond them are left "
     "out."},
    {"reads", "Bytes per read",
     "How much the target got from one read of a socket: shares of all reads, "
     "by quarters of a power of two."},
};

static const struct page_chart second_by_second[] = {
    {"pauses", "Collections' pauses over time",
     "Milliseconds of each second that collections stopped the target for, as "
     "the target or its JVM's counters tell them."},
    {"collections", "Collections over time", "Collections in each second."},
    {"compiles", "Compilations over time",
     "Methods that the JVM compiled in each second, quickly or thoroughly, by "
     "its flight recording (else by its counters). While there are many the "
     "target still warms up: a window that begins there begins too early."},
    {"compiling", "Compiling over time",
     "How long the compilations took that ended in each second, of all "
     "compiling threads together."},
    {"traffic", "Link over time",
     "What the target's interface received in each second, against the "
     "payload that the link carries at best (dashed). Headers are in it."},
};

static const struct page_chart bars[] = {
    {"gc", "Garbage collection",
     "Milliseconds that collections stopped the target for, per megabyte that "
     "it read."},
    {"allocation", "Allocation",
     "Bytes that the target allocated per byte that it read: as TLABs, and "
     "outside of them."},
    {"link", "Link",
     "What passed the target's interface, received and sent, against the "
     "payload that the link carries at best (measured before the first "
     "trial). Headers are in it, so that a full link shows more than 100 %."},
};

void page_chart(FILE *out, const struct page_chart *chart)
{
    (void)fprintf(out,
                  "<section aria-labelledby=\"%s\">\n<h3 id=\"%s\">%s</h3>\n"
                  "<p>%s</p>\n<div class=\"chart\"><canvas id=\"chart-%s\" "
                  "role=\"img\" aria-label=\"%s; its figures are in the table "
                  "below\"></canvas></div>\n<details id=\"table-%s\">"
                  "<summary>%s as a table</summary></details>\n</section>\n",
                  chart->id, chart->id, chart->heading, chart->says, chart->id,
                  chart->heading, chart->id, chart->heading);
}

void page_charts(FILE *out)
{
    page_section(out, "curves", "Curves");
    (void)fputs("<noscript><p>The charts need scripts, which are off here; the "
                "tables above do not.</p></noscript>\n"
                "<fieldset id=\"cells\"><legend>Cells in the charts</legend>"
                "</fieldset>\n",
                out);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        page_chart(out, &curves[i]);
    for (size_t i = 0; i < sizeof second_by_second / sizeof *second_by_second;
         i++)
        page_chart(out, &second_by_second[i]);
    page_section(out, "bars", "Collector, memory, link");
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        page_chart(out, &bars[i]);
}

enum err page_data(FILE *out, struct page_cells *cells, struct db *db,
                   struct jv *root, struct why *why)
{
    enum err e = page_series(cells, db, root, why);
    if (!e)
        e = page_hist(cells, db, why);
    if (!e)
        e = page_bars(cells, db, root, why);
    if (e)
        return e;
    (void)fputs("<script type=\"application/json\" id=\"data\">", out);
    page_json(out, root);
    (void)fputs("</script>\n", out);
    return ERR_OK;
}
