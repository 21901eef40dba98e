#include "load/ids.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Rally's: at recency 1 an id given before is, in the mean, the one that lies a
 * thirtieth of all back. */
#define RECENCY_SLOPE 30
#define SEED          0x696473u

enum err ids_init(struct ids *ids, const struct plan_task *task, uint64_t from,
                  uint64_t n, struct why *why)
{
    *ids = (struct ids){.from = from,
                        .n = n,
                        .probability = task->conflict_probability,
                        .recency = task->recency,
                        .rand = {SEED ^ from}};
    if (task->conflicts != PLAN_CONFLICTS_RANDOM || !n)
        return ERR_OK;
    assert(n <= UINT32_MAX); /* PLAN_DOCS_MAX */
    ids->order = malloc(n * sizeof *ids->order);
    if (!ids->order)
        return err_set(why, ERR_NOMEM, "ids: out of memory");
    for (uint64_t i = 0; i < n; i++) { /* Fisher-Yates, from inside out */
        uint64_t k = rand_bounded(&ids->rand, i + 1);
        ids->order[i] = ids->order[k];
        ids->order[k] = (uint32_t)i;
    }
    return ERR_OK;
}

void ids_fini(struct ids *ids)
{
    free(ids->order);
    *ids = (struct ids){0};
}

static uint64_t pick(struct ids *ids)
{
    if (ids->recency <= 0)
        return rand_bounded(&ids->rand, ids->given);
    double back = rand_exponential(&ids->rand) / (RECENCY_SLOPE * ids->recency);
    double last = (double)(ids->given - 1);
    return (uint64_t)nearbyint(last * (1 - (back < 1 ? back : 1)));
}

uint64_t ids_next(struct ids *ids, bool *again)
{
    *again = ids->given && rand_unit(&ids->rand) < ids->probability;
    assert(*again || ids->given < ids->n);
    uint64_t i = *again ? pick(ids) : ids->given++;
    return ids->from + (ids->order ? ids->order[i] : i);
}
