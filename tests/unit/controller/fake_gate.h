/* An agent that answers over a real channel, from a thread of its own: enough
 * of the protocol for run.c. Its trials end as they are told to. */
#ifndef PITWALL_TESTS_FAKE_GATE_H
#define PITWALL_TESTS_FAKE_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/chan_server.h"
#include "common/state.h"
#include "controller/request.h"

struct fake_gate {
    char url[128];
    enum attempt_outcome outcome; /* of every trial */
    const char *text;             /* of its failure */
    uint64_t run_ns;              /* how long it stays running */
    const char *roles;
    bool held; /* ACQUIRE is refused */
    /* What it saw */
    atomic_uint prepared;
    uint32_t stopped, acked, released;
    char cells[512]; /* their labels, "a b c" */
    /* Its own */
    pthread_t thread;
    atomic_bool ends;
    struct chan_server *server;
    enum attempt_state state;
    uint64_t sealed_at_ns;
};

/* Listen at url and answer until fake_gate_end. */
void fake_gate_begin(struct fake_gate *gate);
void fake_gate_end(struct fake_gate *gate);

#endif
