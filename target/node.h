/* What the threads of one target share. Made by the server before they start,
 * and read by all of them. */
#ifndef PITWALL_TARGET_NODE_H
#define PITWALL_TARGET_NODE_H

#include <stdatomic.h>

#include "target/catalog.h"
#include "target/cluster.h"
#include "target/gauge.h"
#include "target/indices.h"
#include "target/pages.h"
#include "target/pool.h"
#include "target/settings.h"
#include "target/tally.h"

struct node {
    const struct settings *settings;
    struct heap *heap;
    struct pages *pages;
    struct catalog *catalog;
    struct cluster *cluster;
    struct templates *templates;
    struct window window;
    struct gauge *gauge;
    struct pool *pool;
    struct indices *indices; /* NULL: --index none */
    struct pool *errands;    /* likewise */
    /* [0] the main thread, then the workers, then the bulk threads. */
    struct tally **tallies;
    size_t n_tallies;
    uint64_t start_ns;
    int wake_fd; /* eventfd: the main thread looks at the flags below */
    _Atomic bool stopping; /* serve what has begun, then end */
    _Atomic bool oom;      /* the heap is full: end now */
    _Atomic uint64_t open; /* connections, a level */
    char *static_body;     /* [settings->static_bytes] */
};

/* Wake the main thread. Thread: any. */
void node_wake(struct node *n);

/* The heap could not hold an allocation: the process is to end. */
void node_oom(struct node *n);

/* All tallies' totals. */
void node_totals(const struct node *n, struct counts *out);

#endif
