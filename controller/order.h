/* The order of trials as a pure function of the seed (statistics.md section 4):
 * one splitmix64 stream for all blocks, Fisher-Yates from the end. */
#ifndef PITWALL_CONTROLLER_ORDER_H
#define PITWALL_CONTROLLER_ORDER_H

#include <stdint.h>

#include "common/err.h"

enum order_kind {
    ORDER_BLOCKS, /* every cell once per block, shuffled in each */
    ORDER_RANDOM, /* all trials shuffled together */
    ORDER_LISTED  /* as listed, block after block */
};

/* The word for kind. */
const char *order_name(enum order_kind kind);

/* "blocks", "random" or "listed"; else ERR_INVALID. */
CHECKED enum err order_parse(const char *text, enum order_kind *kind,
                             struct why *why);

/* Fill order [n_blocks][n_cells] with the cell that runs at each place. */
void order_fill(enum order_kind kind, uint64_t seed, uint32_t n_cells,
                uint32_t n_blocks, uint32_t *order);

#endif
