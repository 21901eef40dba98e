#include "target/top.h"

#include <stdbool.h>
#include <stdlib.h>

static bool better(const struct top_hit *a, const struct top_hit *b)
{
    if (a->score > b->score || a->score < b->score)
        return a->score > b->score;
    return a->place != b->place ? a->place < b->place : a->n < b->n;
}

static void swap(struct top_hit *a, struct top_hit *b)
{
    struct top_hit kept = *a;
    *a = *b;
    *b = kept;
}

static void sink(struct top *t)
{
    size_t i = 0, child;
    while ((child = 2 * i + 1) < t->n) {
        if (child + 1 < t->n && better(&t->hits[child], &t->hits[child + 1]))
            child++;
        if (!better(&t->hits[i], &t->hits[child]))
            return;
        swap(&t->hits[i], &t->hits[child]);
        i = child;
    }
}

void top_offer(struct top *t, struct top_hit hit)
{
    if (t->n == t->most) {
        if (t->most && better(&hit, &t->hits[0])) {
            t->hits[0] = hit;
            sink(t);
        }
        return;
    }
    size_t i = t->n++;
    t->hits[i] = hit;
    while (i && better(&t->hits[(i - 1) / 2], &t->hits[i])) {
        swap(&t->hits[(i - 1) / 2], &t->hits[i]);
        i = (i - 1) / 2;
    }
}

static int by_rank(const void *a, const void *b)
{
    return better(a, b) ? -1 : 1;
}

void top_sort(struct top *t)
{
    qsort(t->hits, t->n, sizeof *t->hits, by_rank);
}
