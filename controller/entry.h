/* Entering an experiment's plan into the store, as results/store.h wants it. */
#ifndef PITWALL_CONTROLLER_ENTRY_H
#define PITWALL_CONTROLLER_ENTRY_H

#include "controller/trials.h"
#include "results/store.h"

struct entry {
    const struct trials *trials;
    const char *uuid;
    const char *const *benches; /* [n_benches] that take blocks in turn */
    size_t n_benches;
    const char *conduct;     /* as conduct_print; NULL: not told */
    const char *const *tags; /* [n_tags] */
    size_t n_tags;
};

/* Write the plan; its id to *experiment. Errors as store_plan_add. */
CHECKED enum err entry_add(struct store *store, const struct entry *entry,
                           int64_t *experiment, struct why *why);

/* What is added to an experiment that is there: as struct extend. */
struct entry_more {
    int64_t experiment;
    const uint32_t *positions; /* [n_cells] */
    size_t n_old;
    const uint32_t *order; /* [n_blocks][n_cells] */
    size_t n_blocks;
};

/* Write it; of entry only trials and conduct count. Errors as store_extend. */
CHECKED enum err entry_extend(struct store *store, const struct entry *entry,
                              const struct entry_more *more, struct why *why);

/* A random version 4 UUID (RFC 4122). */
CHECKED enum err entry_uuid(char uuid[37], struct why *why);

#endif
