/* More of an experiment that has begun: blocks, or levels and the cells that
 * they make. Cells of before keep their places in the store. */
#ifndef PITWALL_CONTROLLER_EXTENSION_H
#define PITWALL_CONTROLLER_EXTENSION_H

#include "controller/conduct.h"
#include "results/past.h"

struct extension {
    const char *blocks;        /* "+6"; NULL: as many as there are */
    const char *const *levels; /* [n_levels] "predictor+=fixed:48k" */
    size_t n_levels;
};

/* Add them to ex; how many blocks to *blocks. ERR_USAGE: nothing to add, or not
 * written like that; as experiment_axis; ERR_INVALID: a factor that the
 * experiment does not have, one of a zip without the others. */
CHECKED enum err extension_apply(const struct extension *extension,
                                 struct experiment *ex, uint32_t *blocks,
                                 struct why *why);

/* Enter it: before are the trials as the store has them, after those of the
 * experiment as it is to be. The new blocks hold all cells, in an order of the
 * seed plus the number of trials before. */
struct extension_entry {
    const struct past *past;
    const struct trials *before, *after;
    struct conduct *conduct;
    uint32_t blocks;
};
CHECKED enum err extension_enter(struct store *store,
                                 const struct extension_entry *entry,
                                 struct why *why);

#endif
