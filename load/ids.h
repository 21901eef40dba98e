/* Ids for a client's documents where a bulk has conflicts, as Rally gives them:
 * each document takes a new id of the slice's own, or, with a probability, one
 * that was given before. Pure. */
#ifndef PITWALL_LOAD_IDS_H
#define PITWALL_LOAD_IDS_H

#include "common/rand.h"
#include "tracks/plan.h"

#define IDS_DIGITS 10 /* an id as text: "0000000042" */

struct ids {
    uint64_t from, n;   /* new ids are from, ... from + n - 1 */
    uint32_t *order;    /* [n], their order; NULL: as they come */
    uint64_t given;     /* of them, so far */
    double probability; /* that an id was given before */
    double recency;     /* 0: any of them; to 1: rather one of the last */
    struct rand rand;
};

/* Begin for documents from, ... from + n - 1 of a set. ERR_NOMEM. Owns: what is
 * in ids is for ids_fini. */
CHECKED enum err ids_init(struct ids *ids, const struct plan_task *task,
                          uint64_t from, uint64_t n, struct why *why);
void ids_fini(struct ids *ids);

/* The next document's id, at most n times; *again: it was given before. */
uint64_t ids_next(struct ids *ids, bool *again);

#endif
