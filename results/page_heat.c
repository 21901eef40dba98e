#include "results/page_heat.h"

#include <math.h>

#include "results/page_write.h"
#include "results/report_words.h"

#define RANGE_MIN 1.1 /* most / least that is spread over all steps */

unsigned page_heat_step(double value, double least, double most)
{
    if (!(value > 0) || !(least > 0) || !(most >= least))
        return 0;
    double range = fmax(log(most / least), log(RANGE_MIN));
    double share = log(value / least) / range;
    double step = 1 + floor(share * (double)PAGE_HEAT_STEPS);
    return step < 1                 ? 1
           : step > PAGE_HEAT_STEPS ? PAGE_HEAT_STEPS
                                    : (unsigned)step;
}

static void heads(FILE *out, const struct report *r, const char *one,
                  bool numbers)
{
    char label[128];
    (void)fputs("<thead><tr>", out);
    for (size_t f = 0; f < r->pivot.rows.n_factors; f++) {
        (void)fputs("<th scope=\"col\">", out);
        page_text(out, r->matrix.factors[r->pivot.rows.factors[f]].name);
        (void)fputs("</th>", out);
    }
    for (size_t c = 0; c < r->pivot.cols.n; c++) {
        (void)report_label(r, &r->pivot.cols, c, label, sizeof label);
        (void)fprintf(out, "<th scope=\"col\"%s>",
                      numbers ? " class=\"n\"" : "");
        page_text(out, *label ? label : one);
        (void)fputs("</th>", out);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", out);
}

static void row_heads(FILE *out, const struct report *r, size_t i)
{
    const struct pivot_axis *rows = &r->pivot.rows;
    (void)fputs("<tr>", out);
    for (size_t f = 0; f < rows->n_factors; f++) {
        (void)fputs("<th scope=\"row\">", out);
        page_text(out, r->matrix.factors[rows->factors[f]]
                           .labels[rows->levels[i * rows->n_factors + f]]);
        (void)fputs("</th>", out);
    }
}

struct range {
    double least, most;
    size_t n;
};

static struct range range_of(const struct report *r, size_t metric)
{
    struct range out = {INFINITY, 0, 0};
    for (size_t i = 0; i < r->pivot.rows.n; i++)
        for (size_t c = 0; c < r->pivot.cols.n; c++) {
            const struct report_entry *e = report_at(r, i, c, metric);
            char text[160];
            if (!e->n_trials || report_ended(e, text, sizeof text))
                continue;
            out.n++;
            if (e->centre.value > 0) {
                out.least = fmin(out.least, e->centre.value);
                out.most = fmax(out.most, e->centre.value);
            }
        }
    return out;
}

static void figure(FILE *out, const struct report_entry *entry,
                   const struct metric *metric, const struct range *range)
{
    struct report_words words;
    report_words(entry, metric, &words);
    if (words.ended || !entry->n_trials) {
        (void)fputs("<td class=\"n ended\">", out);
        page_text(out, words.value);
    } else {
        (void)fprintf(
            out, "<td class=\"n h%u\">",
            page_heat_step(entry->centre.value, range->least, range->most));
        page_text(out, words.value);
        (void)fputs(" <small>", out);
        page_text(out, words.spread);
        if (words.mark[0])
            (void)fputc(' ', out);
        page_text(out, words.mark);
        (void)fputs("</small>", out);
    }
    (void)fputs("</td>", out);
}

static void table(FILE *out, const struct report *r, size_t metric)
{
    const struct metric *m = r->metrics[metric];
    struct range range = range_of(r, metric);
    char caption[160];
    double factor = 1;
    if (!range.n)
        return;
    (void)snprintf(caption, sizeof caption, "%s [%s]%s", m->name,
                   metric_unit(m, &factor),
                   m->direction == METRIC_HIGHER  ? ", higher is better"
                   : m->direction == METRIC_LOWER ? ", lower is better"
                                                  : "");
    page_table_begin(out, caption);
    heads(out, r, m->name, true);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        row_heads(out, r, i);
        for (size_t c = 0; c < r->pivot.cols.n; c++)
            figure(out, report_at(r, i, c, metric), m, &range);
        (void)fputs("</tr>\n", out);
    }
    page_table_end(out);
}

void page_heat(FILE *out, const struct report *report)
{
    (void)fputs("<div class=\"tables\">\n", out);
    for (size_t m = 0; m < report->n_metrics; m++)
        table(out, report, m);
    (void)fputs("</div>\n", out);
}

void page_bounds(FILE *out, const struct report *r)
{
    char text[160];
    size_t shared = 0;
    page_table_begin(out, "bound by, in how many trials");
    heads(out, r, "bound by", false);
    for (size_t i = 0; i < r->pivot.rows.n; i++) {
        row_heads(out, r, i);
        for (size_t c = 0; c < r->pivot.cols.n; c++) {
            shared += r->bounds[i * r->pivot.cols.n + c].shared;
            (void)fputs("<td>", out);
            page_text(out, bound_count_show(&r->bounds[i * r->pivot.cols.n + c],
                                            text, sizeof text));
            (void)fputs("</td>", out);
        }
        (void)fputs("</tr>\n", out);
    }
    page_table_end(out);
    if (shared)
        (void)fputs("<p>" BOUND_COUNT_STAR ".</p>\n", out);
}
