#include "tests/bench/fidelity/bag.h"

#include <stdbool.h>
#include <stdlib.h>

void bag_fill(struct bag *bag)
{
    bag->count = 0;
    for (size_t i = 0; i < bag->n; i++) {
        bag->left[i] = bag->classes[i].count;
        bag->count += bag->left[i];
    }
}

enum err bag_open(struct bag *bag, const struct row *row, uint64_t seed,
                  struct why *why)
{
    *bag = (struct bag){
        .classes = row->sizes, .n = row->n_sizes, .rand = {.state = seed}};
    bag->left = calloc(row->n_sizes, sizeof *bag->left);
    if (!bag->left)
        return err_set(why, ERR_NOMEM, "sizes of reads: no memory");
    bag_fill(bag);
    return ERR_OK;
}

void bag_close(struct bag *bag)
{
    free(bag->left);
    bag->left = NULL;
}

static uint64_t mean(const struct bag *bag, size_t class)
{
    return bag->classes[class].bytes / bag->classes[class].count;
}

/* A class by chance, of those whose reads are at most limit bytes; n: none. */
static size_t draw(struct bag *bag, uint64_t limit)
{
    uint64_t fits = 0, k;
    size_t i = 0;
    for (size_t j = 0; j < bag->n; j++)
        fits += mean(bag, j) <= limit ? bag->left[j] : 0;
    if (!fits)
        return bag->n;
    for (k = rand_bounded(&bag->rand, fits);; i++) {
        uint64_t here = mean(bag, i) <= limit ? bag->left[i] : 0;
        if (k < here)
            return i;
        k -= here;
    }
}

/* The class of a read of n bytes if it has one left; n: it has none. */
static size_t class_of(const struct bag *bag, uint64_t n)
{
    for (size_t i = 0; i < bag->n; i++)
        if (bag->classes[i].low <= n && n <= bag->classes[i].high)
            return bag->left[i] ? i : bag->n;
    return bag->n;
}

uint32_t bag_draw(struct bag *bag, uint32_t limit, size_t *last)
{
    if (!bag->count)
        bag_fill(bag);
    bool again = rand_unit(&bag->rand) < BAG_PERSISTENCE;
    if (!again || *last == BAG_NONE || !bag->left[*last])
        *last = draw(bag, UINT64_MAX);
    size_t class = *last;
    uint64_t bytes = mean(bag, class);
    if (bytes > limit) {
        class = class_of(bag, limit);
        bytes = limit;
    }
    if (class == bag->n) {
        class = draw(bag, limit);
        bytes = class < bag->n ? mean(bag, class) : limit;
    }
    if (class < bag->n) {
        bag->left[class]--;
        bag->count--;
    }
    return (uint32_t)bytes;
}
