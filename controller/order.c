#include "controller/order.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "common/rand.h"

static const char *const names[] = {"blocks", "random", "listed"};

const char *order_name(enum order_kind kind)
{
    assert((size_t)kind < sizeof names / sizeof *names);
    return names[kind];
}

enum err order_parse(const char *text, enum order_kind *kind, struct why *why)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            *kind = (enum order_kind)i;
            return ERR_OK;
        }
    return err_set(why, ERR_INVALID, "\"%s\" is not blocks, random or listed",
                   text);
}

static void shuffle(struct rand *r, uint32_t *v, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        size_t j = (size_t)rand_bounded(r, i + 1);
        uint32_t swap = v[i];
        v[i] = v[j];
        v[j] = swap;
    }
}

void order_fill(enum order_kind kind, uint64_t seed, uint32_t n_cells,
                uint32_t n_blocks, uint32_t *order)
{
    struct rand r = {seed};
    for (size_t b = 0; b < n_blocks; b++) {
        uint32_t *block = order + b * n_cells;
        for (uint32_t i = 0; i < n_cells; i++)
            block[i] = i;
        if (kind == ORDER_BLOCKS)
            shuffle(&r, block, n_cells);
    }
    if (kind == ORDER_RANDOM)
        shuffle(&r, order, (size_t)n_blocks * n_cells);
}
