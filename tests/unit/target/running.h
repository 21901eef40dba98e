/* A target running in this process. */
#ifndef PITWALL_TESTS_UNIT_TARGET_RUNNING_H
#define PITWALL_TESTS_UNIT_TARGET_RUNNING_H

#include <pthread.h>

#include "common/json.h"
#include "target/server.h"

/* A gate before the bulk threads: closed, each waits there. */
struct bulk_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed;
    unsigned entered;
};

struct running {
    struct settings settings;
    struct server *server;
    struct bulk_gate gate;
    bool calm;          /* no stress: for long answers */
    uint64_t refuse_at; /* heap.h */
    pthread_t thread;
    int stop_pipe[2];
    enum err outcome;  /* of server_serve, once stopped */
    struct jv *record; /* the final record, likewise */
};

/* Defaults, with two event loops, two bulk threads and any free port. */
void running_defaults(struct running *r);

/* Start with r->settings, its heap under stress unless calm. */
void running_start(struct running *r);

/* Ask it to stop (unless it ends by itself), wait, and read its record. */
void running_stop(struct running *r);
void running_wait(struct running *r);

/* Free it. */
void running_close(struct running *r);

/* A number of the record: running_number(r, "total", "docs"). */
uint64_t running_number(const struct running *r, const char *object,
                        const char *key);

/* Close or open the gate; wait until n requests have come to it in total. */
void gate_close(struct running *r);
void gate_open(struct running *r);
void gate_wait(struct running *r, unsigned n);

#endif
