/* Which clients of a step a thread drives. Slots are dealt to load agents in
 * turn, an agent's to its threads;
 * in a slot one client follows the other, on the same connections. Pure. */
#ifndef PITWALL_LOAD_DEAL_H
#define PITWALL_LOAD_DEAL_H

#include "load/work.h"

struct deal_client {
    uint32_t work, client; /* numbers */
    uint32_t conn;         /* the slot's first connection in this thread */
    bool begins;           /* the slot's first client */
    bool ends;             /* the slot's last client */
    bool ends_task;        /* the slot's last client of this work */
};

/* The clients of one of n_threads threads, slot by slot, each slot's in their
 * order, into out, which may be NULL. Returns their number; *n_conns is that of
 * the connections. */
uint32_t deal(const struct step *step, uint32_t thread, uint32_t n_threads,
              struct deal_client *out, uint32_t *n_conns);

#endif
