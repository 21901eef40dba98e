#include "tests/bench/fidelity/score.h"

#include <math.h>
#include <string.h>

#define UNLIMITED_COMPONENTS                                                   \
    2048u /* more than any body of the reference has                           \
           */

static double over(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

bool score_near(double a, double b)
{
    double apart = fabs(a - b);
    return apart <= SCORE_PER_BYTE || apart <= SCORE_RATIO * b;
}

bool score_oom(const struct figures *ours)
{
    return 2 * ours->ooms > ours->runs;
}

/* Of a figure per ingested byte: as it would be at the JVM's buffers per byte,
 * which are the reads'. */
static bool near_per_buffer(const struct score *s, struct pair figure)
{
    return s->buffers.ours > 0 &&
           score_near(figure.ours * s->buffers.jvm / s->buffers.ours,
                      figure.jvm);
}

void score_row(const struct row *row, const struct figures *ours,
               struct score *out)
{
    const struct heap_stats *h = &ours->heap;
    unsigned done = row_oom(row) ? ours->ooms : ours->runs - ours->ooms;
    *out = (struct score){
        .scored = row_scored(row),
        .sizes_agree = h->eden_bytes == row->eden_bytes &&
                       h->survivor_bytes == row->survivor_bytes &&
                       h->old_bytes == row->old_bytes,
        .outside = {over(h->outside_bytes, ours->bytes),
                    over(row->out_tlab_bytes, row->bytes_ingested)},
        .tlab = {over(h->tlab_bytes, ours->bytes),
                 over(row->tlab_bytes, row->bytes_ingested)},
        .tlab_avg = {over(h->tlab_bytes, h->tlab_count),
                     over(row->tlab_bytes, row->tlab_count)},
        .young = {over(h->young_count, done), (double)row->gc_young_count},
        .old = {over(h->old_count, done), (double)row->gc_old_count},
        .largest = {(double)h->outside_max_bytes, (double)row->out_tlab_max},
        .buffers = {over(ours->buffers, ours->bytes),
                    over(row->recv_buf_alloc_bytes, row->bytes_ingested)}};
    out->reads_agree =
        !ours->bytes || score_near(out->buffers.ours, out->buffers.jvm);
    if (row_oom(row) || score_oom(ours))
        out->within = row_oom(row) == score_oom(ours);
    else
        out->within = score_near(out->outside.ours, out->outside.jvm) &&
                      score_near(out->tlab.ours, out->tlab.jvm);
    out->per_buffer = row_oom(row) || score_oom(ours)
                          ? out->within
                          : near_per_buffer(out, out->outside) &&
                                near_per_buffer(out, out->tlab);
    out->largest_known = !strncmp(row->predictor, "fixed", 5) &&
                         !row->es_body_copy && !row_oom(row) &&
                         row->max_components > UNLIMITED_COMPONENTS &&
                         row->out_tlab_max && h->outside_max_bytes;
    out->largest_agrees = row->out_tlab_max == h->outside_max_bytes;
}

static bool agree(const struct row *a, const struct row *b)
{
    return score_near(over(a->out_tlab_bytes, a->bytes_ingested),
                      over(b->out_tlab_bytes, b->bytes_ingested)) &&
           score_near(over(a->tlab_bytes, a->bytes_ingested),
                      over(b->tlab_bytes, b->bytes_ingested));
}

struct repeats score_repeats(const struct rows *rows)
{
    struct repeats r = {0};
    for (size_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < i; j++) {
            const struct row *a = &rows->of[j], *b = &rows->of[i];
            if (!row_scored(a) || !row_same_cell(a, b) || row_oom(a) ||
                row_oom(b))
                continue;
            r.pairs++;
            r.agree += agree(a, b);
        }
    return r;
}
