#include "results/page_words.h"

#include <math.h>
#include <stdlib.h>

#include "results/bound.h"
#include "results/heading.h"
#include "results/page_write.h"
#include "results/report_words.h"

#define NAMED_MAX 6 /* cells named in one sentence */

/* "256m fixed:64k default loopback" */
static void put_group(FILE *out, const struct report *r, size_t row, size_t col)
{
    char label[256];
    (void)fputs("<b>", out);
    page_text(out, report_label(r, &r->pivot.rows, row, label, sizeof label));
    if (r->pivot.rows.n_factors && r->pivot.cols.n_factors)
        (void)fputc(' ', out);
    page_text(out, report_label(r, &r->pivot.cols, col, label, sizeof label));
    (void)fputs("</b>", out);
}

static void say_ends(FILE *out, const struct report *r)
{
    size_t ends[MATRIX_ENDS] = {0}, n = 0;
    for (size_t i = 0; i < r->matrix.n_trials; i++) {
        const struct matrix_trial *t = &r->matrix.trials[i];
        if (r->matrix.cells[t->cell].purpose != PURPOSE_MEASURE)
            continue;
        ends[t->end]++;
        n++;
    }
    (void)fprintf(out, "<li>%zu of %zu trials are valid", ends[MATRIX_OK], n);
    if (ends[MATRIX_OOM])
        (void)fprintf(out, "; in %zu the target ran out of memory",
                      ends[MATRIX_OOM]);
    if (ends[MATRIX_FAILED])
        (void)fprintf(out, "; %zu failed", ends[MATRIX_FAILED]);
    if (ends[MATRIX_INVALID])
        (void)fprintf(out, "; %zu broke a rule and are in no figure",
                      ends[MATRIX_INVALID]);
    if (ends[MATRIX_OPEN])
        (void)fprintf(out, "; %zu have not run yet", ends[MATRIX_OPEN]);
    (void)fputs(".</li>\n", out);
}

/* Which groups ended in one way, by name. */
static void say_broken(FILE *out, const struct report *r, enum matrix_end end,
                       const char *what)
{
    size_t n = 0;
    for (size_t i = 0; r->n_metrics && i < r->pivot.rows.n; i++)
        for (size_t c = 0; c < r->pivot.cols.n; c++) {
            const struct report_entry *e = report_at(r, i, c, 0);
            if (!e->ends[end])
                continue;
            if (n < NAMED_MAX) {
                (void)fputs(n ? ", " : what, out);
                put_group(out, r, i, c);
                (void)fprintf(out, " (%zu of %zu)", e->ends[end], e->n_trials);
            }
            n++;
        }
    if (n > NAMED_MAX)
        (void)fprintf(out, " and %zu more", n - NAMED_MAX);
    if (n)
        (void)fputs(". They have no figure.</li>\n", out);
}

static const char *limit_words(enum attempt_bound bound)
{
    switch (bound) {
    case BOUND_DRIVER:
        return "the load generator";
    case BOUND_LINK:
        return "the link";
    case BOUND_RWND:
        return "the target's receive window";
    case BOUND_TARGET_CPU:
        return "the target's CPU";
    case BOUND_TARGET_GC:
        return "the target's garbage collection";
    case BOUND_TARGET_QUEUE:
        return "the target's queue";
    case BOUND_TARGET_DISK:
        return "the target's disk";
    case BOUND_RATE:
        return "the rate that was asked for";
    case BOUND_UNCLEAR:
        break;
    }
    return "nothing that could be told";
}

static void say_bounds(FILE *out, const struct report *r)
{
    struct bound_count sum = {.all = 0};
    size_t n = 0;
    for (size_t g = 0; g < r->pivot.rows.n * r->pivot.cols.n; g++)
        for (size_t b = 0; b < ATTEMPT_N_BOUNDS; b++) {
            sum.n[b] += r->bounds[g].n[b];
            sum.all += r->bounds[g].n[b];
        }
    for (size_t most = sum.all; most > 0; most--)
        for (size_t b = 0; b < ATTEMPT_N_BOUNDS; b++)
            if (sum.n[b] == most)
                (void)fprintf(out, "%s<b>%s</b> in %zu",
                              n++ ? ", " : "<li>The limit was ",
                              limit_words((enum attempt_bound)b), most);
    if (n)
        (void)fprintf(out, " of %zu trials.%s</li>\n", sum.all,
                      sum.n[BOUND_DRIVER]
                          ? " Where it was the load generator, a figure says "
                            "what that could do, not the target."
                          : "");
}

static void put_entry(FILE *out, const struct report *r, size_t row, size_t col)
{
    struct report_words words;
    double factor = 1;
    const char *unit = metric_unit(r->metrics[0], &factor);
    report_words(report_at(r, row, col, 0), r->metrics[0], &words);
    (void)fputs(": ", out);
    page_text(out, words.value);
    if (!report_number_has_unit(unit)) {
        (void)fputc(' ', out);
        page_text(out, unit);
    }
    if (words.spread[0])
        (void)fputc(' ', out);
    page_text(out, words.spread);
}

/* Where the first metric is highest and lowest, of groups that have a
 * centre. */
static void say_extremes(FILE *out, const struct report *r)
{
    size_t high = 0, low = 0, n = 0, cols = r->pivot.cols.n;
    char text[160];
    double most = -INFINITY, least = INFINITY;
    if (!r->n_metrics)
        return;
    for (size_t g = 0; g < r->pivot.rows.n * cols; g++) {
        const struct report_entry *e = report_at(r, g / cols, g % cols, 0);
        if (!e->n_trials || report_ended(e, text, sizeof text))
            continue;
        n++;
        if (e->centre.value > most) {
            most = e->centre.value;
            high = g;
        }
        if (e->centre.value < least) {
            least = e->centre.value;
            low = g;
        }
    }
    if (n < 2)
        return;
    (void)fprintf(out, "<li><code>%s</code> is highest at ",
                  r->metrics[0]->name);
    put_group(out, r, high / cols, high % cols);
    put_entry(out, r, high / cols, high % cols);
    (void)fputs("; lowest at ", out);
    put_group(out, r, low / cols, low % cols);
    put_entry(out, r, low / cols, low % cols);
    (void)fputs(". Cells that lie closer than their spread are not told apart "
                "by this.</li>\n",
                out);
}

/* What one cell's repetition differs from itself by. */
static enum err say_noise(FILE *out, const struct report *r, struct db *db,
                          struct why *why)
{
    double mean = NAN, deviation = NAN;
    double *values = calloc(r->matrix.n_trials + 1, sizeof *values);
    if (!values)
        return err_set(why, ERR_NOMEM, "page");
    enum err e =
        matrix_values(&r->matrix, db, metric_find("throughput"), values, why);
    size_t n = e ? 0 : heading_canary(&r->matrix, values, &mean, &deviation);
    free(values);
    if (n > 1)
        (void)fprintf(out,
                      "<li>The lab's own noise: one cell ran twice in each of "
                      "%zu blocks and differed from itself by %+.1f&nbsp;%% in "
                      "throughput, with a deviation of %.1f&nbsp;%% from block "
                      "to block. Differences of that size show nothing.</li>\n",
                      n, 100 * expm1(mean), 100 * expm1(deviation));
    else if (!e)
        (void)fputs(
            "<li>The lab's own noise is not known: no cell ran twice in "
            "two blocks or more (<code>--canary</code>).</li>\n",
            out);
    return e;
}

enum err page_words(FILE *out, const struct report *report, struct db *db,
                    struct why *why)
{
    (void)fputs("<ul class=\"answer\">\n", out);
    say_extremes(out, report);
    say_bounds(out, report);
    say_broken(out, report, MATRIX_OOM, "<li>Out of memory: ");
    say_broken(out, report, MATRIX_FAILED, "<li>Failed: ");
    enum err e = say_noise(out, report, db, why);
    say_ends(out, report);
    (void)fputs("</ul>\n", out);
    return e;
}
