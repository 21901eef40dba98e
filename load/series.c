#include "load/series.h"

#include <stdlib.h>
#include <string.h>

enum err series_init(struct series *s, uint32_t n_threads, struct why *why)
{
    *s = (struct series){.n_threads = n_threads};
    s->open = calloc(SERIES_OPEN, sizeof *s->open);
    s->buf = malloc(HIST_BLOB_MAX);
    if (s->open && s->buf)
        return ERR_OK;
    series_fini(s);
    return err_set(why, ERR_NOMEM, "seconds: out of memory");
}

void series_fini(struct series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->seconds[i].latency.data);
        free(s->seconds[i].service.data);
    }
    free(s->seconds);
    free(s->open);
    free(s->buf);
    *s = (struct series){0};
}

static struct series_blob encode(struct series *s, const struct hist *h)
{
    struct series_blob blob = {0};
    if (!h->total)
        return blob;
    size_t len = hist_encode(h, s->buf, HIST_BLOB_MAX);
    if (s->blob_bytes + len > SERIES_BLOBS_MAX) {
        s->bare++;
        return blob;
    }
    blob.data = malloc(len);
    if (!blob.data) {
        s->lost++;
        return blob;
    }
    memcpy(blob.data, s->buf, len);
    blob.len = len;
    s->blob_bytes += len;
    return blob;
}

/* All threads' blocks of a second are there: keep it encoded. */
static void close_sum(struct series *s, struct series_sum *o)
{
    o->n_threads = 0;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        struct series_second *seconds =
            realloc(s->seconds, cap * sizeof *seconds);
        if (!seconds) {
            s->lost++;
            return;
        }
        s->seconds = seconds;
        s->cap = cap;
    }
    s->seconds[s->n++] =
        (struct series_second){.second = o->sum.second,
                               .counts = o->sum.counts,
                               .in_flight = o->sum.in_flight,
                               .latency = encode(s, &o->sum.latency),
                               .service = encode(s, &o->sum.service)};
}

/* The sum that this second is added to. Where all are open, the oldest is
 * closed: one of its threads lost its block. */
static struct series_sum *find(struct series *s, int64_t second)
{
    struct series_sum *free_one = NULL, *oldest = NULL;
    for (size_t i = 0; i < SERIES_OPEN; i++) {
        struct series_sum *o = &s->open[i];
        if (!o->n_threads)
            free_one = o;
        else if (o->sum.second == second)
            return o;
        else if (!oldest || o->sum.second < oldest->sum.second)
            oldest = o;
    }
    if (!free_one) {
        close_sum(s, oldest);
        free_one = oldest;
    }
    free_one->sum.second = second;
    free_one->sum.counts = (struct recorder_counts){0};
    free_one->sum.in_flight = 0;
    hist_reset(&free_one->sum.latency);
    hist_reset(&free_one->sum.service);
    return free_one;
}

void series_add(struct series *s, const struct recorder_second *block)
{
    struct series_sum *o = find(s, block->second);
    recorder_counts_add(&o->sum.counts, &block->counts);
    o->sum.in_flight += block->in_flight;
    hist_merge(&o->sum.latency, &block->latency);
    hist_merge(&o->sum.service, &block->service);
    if (++o->n_threads == s->n_threads)
        close_sum(s, o);
}

void series_collect(struct series *s, struct recorder *r)
{
    const struct recorder_second *block;
    while ((block = recorder_full(r))) {
        series_add(s, block);
        recorder_took(r);
    }
}

static int by_second(const void *a, const void *b)
{
    const struct series_second *x = a, *y = b;
    return (x->second > y->second) - (x->second < y->second);
}

static bool is_empty(const struct series_second *s)
{
    static const struct recorder_counts none;
    return !memcmp(&s->counts, &none, sizeof none) && !s->in_flight;
}

void series_end(struct series *s)
{
    for (size_t i = 0; i < SERIES_OPEN; i++)
        if (s->open[i].n_threads)
            close_sum(s, &s->open[i]);
    if (s->n)
        qsort(s->seconds, s->n, sizeof *s->seconds, by_second);
    /* The second that was begun last, if nothing ended in it. */
    while (s->n && is_empty(&s->seconds[s->n - 1]))
        s->n--;
}
