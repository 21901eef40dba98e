/* Cutting the corpora of a bulk task into bodies. */
#ifndef PITWALL_LOAD_BODY_BULK_H
#define PITWALL_LOAD_BODY_BULK_H

#include "load/body.h"

/* Fill an empty pool with the bulks of a task. Errors as body_make. */
CHECKED enum err body_bulk_make(struct body_pool *p, const struct plan *plan,
                                const struct plan_task *task,
                                const struct body_config *config,
                                struct why *why);

#endif
