/* What the executor has been asked and has not answered: a queue, since its
 * answers come in the order of the requests. Pure; times are given. */
#ifndef PITWALL_AGENT_GATE_ASKED_H
#define PITWALL_AGENT_GATE_ASKED_H

#include <stdbool.h>

#include "agent/gate/request.h"

/* Four requests can wait for answers at once; more places are taken only by
 * those that were given up on. */
#define ASKED_MAX 16

struct asked_entry {
    unsigned slot;          /* of chan_server, to answer to */
    struct request request; /* its plan is dead by now */
    uint64_t due_ns;
    bool given_up; /* its slot has been answered already */
};

struct asked {
    struct asked_entry entries[ASKED_MAX]; /* ring */
    size_t first, len;
};

/* No place is left. */
bool asked_full(const struct asked *asked);

/* Append a request (copied), to be answered by due_ns; not when it is full.
 * Later requests are not due earlier. */
void asked_push(struct asked *asked, unsigned slot,
                const struct request *request, uint64_t due_ns);

/* The oldest, taken off; NULL when there is none. Valid until the next
 * asked_push. */
const struct asked_entry *asked_pop(struct asked *asked);

/* One that has waited beyond its due time and was not given up before, marked
 * so now; NULL when there is none. Valid as asked_pop. */
const struct asked_entry *asked_give_up(struct asked *asked, uint64_t now_ns);

/* When the next one is due; UINT64_MAX when none is. */
uint64_t asked_due_ns(const struct asked *asked);

#endif
