#include "target/pages.h"

#include <pthread.h>
#include <stdlib.h>

#define KEEP_MAX 65536u /* a gigabyte */

struct pages {
    pthread_mutex_t lock;
    size_t n, max;
    heap_ref kept[]; /* [max], a stack */
};

struct pages *pages_new(uint64_t heap_bytes)
{
    uint64_t max = heap_bytes / 10 / PAGES_BYTES;
    if (max > KEEP_MAX)
        max = KEEP_MAX;
    struct pages *p = malloc(sizeof *p + max * sizeof p->kept[0]);
    if (!p)
        return NULL;
    (void)pthread_mutex_init(&p->lock, NULL);
    p->n = 0;
    p->max = max;
    return p;
}

void pages_free(struct pages *pages, struct mutator *m)
{
    if (!pages)
        return;
    while (m && pages->n)
        heap_release(m, pages->kept[--pages->n]);
    (void)pthread_mutex_destroy(&pages->lock);
    free(pages);
}

heap_ref pages_take(struct pages *pages, struct mutator *m)
{
    (void)pthread_mutex_lock(&pages->lock);
    heap_ref page = pages->n ? pages->kept[--pages->n] : 0;
    (void)pthread_mutex_unlock(&pages->lock);
    return page ? page : heap_alloc(m, PAGES_BYTES);
}

void pages_give(struct pages *pages, struct mutator *m, heap_ref page)
{
    (void)pthread_mutex_lock(&pages->lock);
    bool kept = pages->n < pages->max;
    if (kept)
        pages->kept[pages->n++] = page;
    (void)pthread_mutex_unlock(&pages->lock);
    if (!kept)
        heap_release(m, page);
}
