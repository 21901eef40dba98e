/* An event loop: one thread, one epoll, its share of the connections. */
#ifndef PITWALL_TARGET_WORKER_H
#define PITWALL_TARGET_WORKER_H

#include <pthread.h>

#include "target/conn.h"
#include "target/handler.h"
#include "target/node.h"
#include "target/slow.h"

#define WORKER_SCRATCH_BYTES 65536u
#define WORKER_DRAIN_NS      1000000000ull /* for requests that have begun */

struct worker {
    struct node *node;
    struct tally *tally;
    struct mutator *mutator;
    struct handler handler;
    struct slow slow;
    int epoll_fd, wake_fd;
    pthread_t thread;
    bool started;
    struct conn *conns; /* all of this worker */
    pthread_mutex_t lock;
    int *inbox; /* [n_inbox] accepted sockets */
    size_t n_inbox, cap_inbox;
    struct conn *done; /* back from the bulk threads */
    char in[WORKER_SCRATCH_BYTES], out[WORKER_SCRATCH_BYTES];
    char text[HANDLER_TEXT_MAX];
};

/* Make a worker and start its thread; tally is its own. ERR_NOMEM, ERR_AGAIN,
 * ERR_IO. */
CHECKED enum err worker_open(struct worker **out, struct node *node,
                             struct tally *tally, struct why *why);

/* Give it an accepted socket. False: no memory, fd stays the caller's.
 * Thread: any. */
bool worker_adopt(struct worker *w, int fd);

/* c's request was processed. Thread: any. */
void worker_done(struct worker *w, struct conn *c);

/* Look at the node's flags. Thread: any. */
void worker_wake(struct worker *w);

/* Wait until the thread has ended, which it does when the node is stopping and
 * no request is left (or after WORKER_DRAIN_NS), or is out of memory. */
void worker_join(struct worker *w);

/* Close its connections and free it: the bulk threads must be gone. NULL is
 * fine. */
void worker_close(struct worker *w);

#endif
