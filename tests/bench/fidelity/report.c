#include "tests/bench/fidelity/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"

#define VERDICT_MAX 96u

void report_begin(struct report *report, const struct rows *rows, bool json)
{
    struct repeats own = score_repeats(rows);
    *report = (struct report){.json = json};
    if (json) {
        report->root = jv_new(JV_OBJECT);
        jv_add_u64(report->root, "jvm_repeats", own.pairs);
        jv_add_u64(report->root, "jvm_repeats_agree", own.agree);
        report->cells = jv_add(report->root, "cells", JV_ARRAY);
        return;
    }
    printf("the JVM against its own repeats: %zu of %zu pairs agree within "
           "%.0f %% or %.2f bytes per byte\n\n",
           own.agree, own.pairs, SCORE_RATIO * 100, SCORE_PER_BYTE);
    printf("%-5s %-15s %-7s %-7s %4s %-12s %4s  %-14s %-14s %-14s %-9s "
           "%-9s %-18s\n",
           "run", "phase", "link", "rmem", "heap", "predictor", "body",
           "outside B/B", "TLAB B/B", "average TLAB", "young", "old",
           "largest outside");
    printf("%63s", "");
    for (int i = 0; i < 3; i++)
        printf("  %6s %6s ", "ours", "jvm");
    printf(" %4s %4s  %4s %4s  %8s %8s\n", "ours", "jvm", "ours", "jvm", "ours",
           "jvm");
}

/* A short word on how it went; fits VERDICT_MAX. */
static void write_verdict(const struct row *row, const struct figures *ours,
                          const struct score *s, char *to)
{
    const char *word = s->within ? "" : "OFF";
    if (!s->sizes_agree && s->scored)
        word = "GENERATIONS DIFFER";
    else if (!s->scored)
        word = strcmp(row->gc, "serial") ? "not scored: other collector"
                                         : "not scored";
    else if (row_oom(row) != score_oom(ours))
        word =
            score_oom(ours) ? "OFF: out of memory" : "OFF: not out of memory";
    else if (row_oom(row))
        word = "out of memory, both";
    else if (!s->within && !s->reads_agree)
        word = "OFF: other reads";
    if (s->reads_agree || !s->scored)
        (void)snprintf(to, VERDICT_MAX, "%s", word);
    else
        (void)snprintf(to, VERDICT_MAX,
                       "%s (buffers per byte %.1f, the JVM's %.1f)", word,
                       s->buffers.ours, s->buffers.jvm);
}

static void print_row(const struct row *row, const struct result *result,
                      const struct score *s)
{
    char verdict[VERDICT_MAX];
    printf("%-5" PRIu64 " %-15s %-7s %-7s %4" PRIu64 " %-12s %3.1fM", row->run,
           row->phase, row->link, row->rmem, row->heap_mb, row->predictor,
           (double)row->body_bytes / 1e6);
    if (result->lacking) {
        printf("  not run: %s\n", result->lacking);
        return;
    }
    write_verdict(row, &result->figures, s, verdict);
    printf("  %6.2f %6.2f ", s->outside.ours, s->outside.jvm);
    printf("  %6.2f %6.2f ", s->tlab.ours, s->tlab.jvm);
    printf("  %5.0fk %5.0fk ", s->tlab_avg.ours / 1e3, s->tlab_avg.jvm / 1e3);
    printf(" %4.1f %4.0f  %4.1f %4.0f  %8.0f %8.0f  %s%s%s\n", s->young.ours,
           s->young.jvm, s->old.ours, s->old.jvm, s->largest.ours,
           s->largest.jvm, verdict, result->note[0] ? " INVALID: " : "",
           result->note);
    (void)fflush(stdout);
}

static void add_pair(struct jv *cell, const char *name, struct pair pair)
{
    struct jv *v = jv_add(cell, name, JV_OBJECT);
    jv_add_number(v, "ours", pair.ours);
    jv_add_number(v, "jvm", pair.jvm);
}

static void add_row(struct jv *cells, const struct row *row,
                    const struct result *result, const struct score *s)
{
    struct jv *cell = jv_add(cells, NULL, JV_OBJECT);
    jv_add_u64(cell, "run", row->run);
    jv_add_text(cell, "phase", row->phase);
    jv_add_text(cell, "link", row->link);
    jv_add_text(cell, "rmem", row->rmem);
    jv_add_u64(cell, "heap_mb", row->heap_mb);
    jv_add_text(cell, "predictor", row->predictor);
    jv_add_u64(cell, "body_bytes", row->body_bytes);
    if (result->lacking) {
        jv_add_text(cell, "not_run", result->lacking);
        return;
    }
    jv_add_text(cell, "invalid", result->note);
    jv_add_bool(cell, "scored", s->scored);
    jv_add_bool(cell, "within", s->within);
    jv_add_bool(cell, "per_buffer", s->per_buffer);
    jv_add_bool(cell, "oom", score_oom(&result->figures));
    jv_add_bool(cell, "jvm_oom", row_oom(row));
    add_pair(cell, "outside_per_byte", s->outside);
    add_pair(cell, "tlab_per_byte", s->tlab);
    add_pair(cell, "buffers_per_byte", s->buffers);
    add_pair(cell, "tlab_avg_bytes", s->tlab_avg);
    add_pair(cell, "young", s->young);
    add_pair(cell, "old", s->old);
    add_pair(cell, "largest_outside_bytes", s->largest);
}

void report_row(struct report *report, const struct row *row,
                const struct result *result)
{
    struct score s;
    score_row(row, &result->figures, &s);
    if (report->json)
        add_row(report->cells, row, result, &s);
    else
        print_row(row, result, &s);
    report->lacking += s.scored && result->lacking;
    if (result->lacking)
        return;
    if (!s.scored)
        return;
    report->cells_scored++;
    report->within += s.within;
    report->per_buffer += s.per_buffer;
    report->reads_differ += !s.within && !s.reads_agree;
    report->sizes_differ += !s.sizes_agree;
    report->largest_known += s.largest_known;
    report->largest_agree += s.largest_known && s.largest_agrees;
}

static double share_of(const struct report *report, size_t n)
{
    return report->cells_scored ? (double)n / (double)report->cells_scored : 0;
}

double report_end(struct report *report)
{
    double within = share_of(report, report->within);
    double per_buffer = share_of(report, report->per_buffer);
    if (report->json) {
        jv_add_number(report->root, "within", within);
        jv_add_number(report->root, "per_buffer", per_buffer);
        char *text = jv_print(report->root, true);
        (void)puts(text);
        free(text);
        jv_free(report->root);
    }
    (void)fprintf(
        report->json ? stderr : stdout,
        "%sfidelity within=%.2f cells=%zu generations_differ=%zu "
        "largest_outside_exact=%zu/%zu off_by_reads=%zu per_buffer=%.2f "
        "not_run=%zu\n",
        report->json ? "" : "\n", within, report->cells_scored,
        report->sizes_differ, report->largest_agree, report->largest_known,
        report->reads_differ, per_buffer, report->lacking);
    return within;
}
