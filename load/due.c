#include "load/due.h"

#include <assert.h>

static void swap(struct due_entry *a, struct due_entry *b)
{
    struct due_entry t = *a;
    *a = *b;
    *b = t;
}

void due_push(struct due *d, uint64_t at_ns, uint32_t lane)
{
    assert(d->n < d->cap);
    size_t i = d->n++;
    d->entries[i] = (struct due_entry){at_ns, lane};
    while (i && d->entries[(i - 1) / 2].at_ns > d->entries[i].at_ns) {
        swap(&d->entries[(i - 1) / 2], &d->entries[i]);
        i = (i - 1) / 2;
    }
}

uint64_t due_first(const struct due *d)
{
    return d->n ? d->entries[0].at_ns : UINT64_MAX;
}

uint32_t due_pop(struct due *d)
{
    assert(d->n);
    uint32_t lane = d->entries[0].lane;
    d->entries[0] = d->entries[--d->n];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= d->n)
            return lane;
        if (child + 1 < d->n &&
            d->entries[child + 1].at_ns < d->entries[child].at_ns)
            child++;
        if (d->entries[i].at_ns <= d->entries[child].at_ns)
            return lane;
        swap(&d->entries[i], &d->entries[child]);
        i = child;
    }
}
