#include "target/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/clock.h"

#define EVENTS_PER_TURN 64
#define STOPPING_MS     10       /* how often a stopping worker looks again */
#define REST_SLICE_NS   10000000 /* how often a resting one does */

static void link_conn(struct worker *w, struct conn *c)
{
    c->next = w->conns;
    if (c->next)
        c->next->prev = c;
    w->conns = c;
    atomic_fetch_add(&w->node->open, 1);
}

static void close_conn(struct worker *w, struct conn *c)
{
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        w->conns = c->next;
    atomic_fetch_sub(&w->node->open, 1);
    conn_free(c);
}

/* What others put here: new sockets, and connections back from the bulk
 * threads. */
static void collect(struct worker *w)
{
    uint64_t count;
    if (read(w->wake_fd, &count, sizeof count) < 0)
        count = 0; /* somebody was faster than the counter */
    (void)pthread_mutex_lock(&w->lock);
    size_t n = w->n_inbox;
    int *fds = w->inbox;
    struct conn *done = w->done;
    w->inbox = NULL;
    w->n_inbox = w->cap_inbox = 0;
    w->done = NULL;
    (void)pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < n; i++) {
        struct conn *c = conn_new(w, fds[i]);
        if (c)
            link_conn(w, c);
    }
    free(fds);
    while (done) {
        struct conn *c = done;
        done = c->done_next;
        if (!conn_resume(c))
            close_conn(w, c);
    }
}

static void close_idle(struct worker *w)
{
    for (struct conn *c = w->conns, *next; c; c = next) {
        next = c->next;
        if (conn_idle(c))
            close_conn(w, c);
    }
}

/* --stall: whoever wants something of the server waits. */
static void rest(const struct node *node)
{
    const struct stall *stall = &node->settings->stall;
    uint64_t now_ns = clock_mono_ns(), left_ns;
    while (!atomic_load(&node->stopping) &&
           (left_ns = stall_left_ns(stall, now_ns - node->start_ns))) {
        clock_sleep_until(now_ns +
                          (left_ns < REST_SLICE_NS ? left_ns : REST_SLICE_NS));
        now_ns = clock_mono_ns();
    }
}

/* One turn of the loop; how many events it saw. */
static int turn(struct worker *w, int timeout_ms)
{
    struct epoll_event events[EVENTS_PER_TURN];
    bool woken = false;
    heap_native_enter(w->mutator);
    int n = epoll_wait(w->epoll_fd, events, EVENTS_PER_TURN, timeout_ms);
    rest(w->node);
    heap_native_leave(w->mutator);
    for (int i = 0; i < n; i++) {
        struct conn *c = events[i].data.ptr;
        if (!c)
            woken = true;
        else if (!conn_event(c, events[i].events))
            close_conn(w, c);
        heap_poll(w->mutator);
    }
    /* After the events, which may be of connections that this closes. */
    if (woken)
        collect(w);
    slow_pay(&w->slow, w->mutator);
    return n;
}

static void *run(void *arg)
{
    struct worker *w = arg;
    const struct node *node = w->node;
    uint64_t end_ns = UINT64_MAX;
    (void)prctl(PR_SET_NAME, "loop");
    while (!atomic_load(&node->oom) && clock_mono_ns() < end_ns) {
        bool stopping = atomic_load(&node->stopping);
        if (stopping && end_ns == UINT64_MAX)
            end_ns = clock_mono_ns() + WORKER_DRAIN_NS;
        if (turn(w, stopping ? STOPPING_MS : -1) == 0 && stopping)
            close_idle(w);
        if (stopping && !w->conns)
            break;
    }
    heap_native_enter(w->mutator); /* until worker_close: hold up nobody */
    return NULL;
}

static enum err open_fds(struct worker *w, struct why *why)
{
    struct epoll_event ev = {.events = EPOLLIN};
    w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->epoll_fd < 0 || w->wake_fd < 0 ||
        epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->wake_fd, &ev))
        return err_errno(why, errno, "event loop");
    return ERR_OK;
}

enum err worker_open(struct worker **out, struct node *node,
                     struct tally *tally, struct why *why)
{
    *out = NULL;
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "event loop: no memory");
    w->node = node;
    w->tally = tally;
    w->epoll_fd = w->wake_fd = -1;
    (void)pthread_mutex_init(&w->lock, NULL);
    enum err e = open_fds(w, why);
    w->mutator = e ? NULL : heap_attach(node->heap, "worker");
    if (!e && !w->mutator)
        e = err_set(why, ERR_NOMEM, "event loop: no mutator");
    w->handler = (struct handler){node, w->mutator, w->text};
    w->slow.share = node->settings->slow_share;
    int failed = e ? 0 : pthread_create(&w->thread, NULL, run, w);
    if (failed)
        e = err_errno(why, failed, "start event loop");
    if (e) {
        if (w->mutator)
            heap_native_enter(w->mutator);
        worker_close(w);
        return e;
    }
    w->started = true;
    *out = w;
    return ERR_OK;
}

void worker_wake(struct worker *w)
{
    uint64_t one = 1;
    /* It fails only when the counter is full, and then it is awake. */
    if (write(w->wake_fd, &one, sizeof one) < 0)
        return;
}

bool worker_adopt(struct worker *w, int fd)
{
    bool fits = true;
    (void)pthread_mutex_lock(&w->lock);
    if (w->n_inbox == w->cap_inbox) {
        size_t cap = w->cap_inbox ? w->cap_inbox * 2 : 16;
        int *inbox = realloc(w->inbox, cap * sizeof *inbox);
        fits = inbox != NULL;
        if (fits) {
            w->inbox = inbox;
            w->cap_inbox = cap;
        }
    }
    if (fits)
        w->inbox[w->n_inbox++] = fd;
    (void)pthread_mutex_unlock(&w->lock);
    worker_wake(w);
    return fits;
}

void worker_done(struct worker *w, struct conn *c)
{
    (void)pthread_mutex_lock(&w->lock);
    bool first = !w->done;
    c->done_next = w->done;
    w->done = c;
    (void)pthread_mutex_unlock(&w->lock);
    if (first)
        worker_wake(w);
}

void worker_join(struct worker *w)
{
    if (w->started)
        (void)pthread_join(w->thread, NULL);
    w->started = false;
}

void worker_close(struct worker *w)
{
    if (!w)
        return;
    if (w->mutator)
        heap_native_leave(w->mutator);
    while (w->conns) {
        w->conns->busy = false; /* its bulk thread is gone */
        close_conn(w, w->conns);
    }
    for (size_t i = 0; i < w->n_inbox; i++)
        (void)close(w->inbox[i]);
    free(w->inbox);
    if (w->mutator)
        heap_detach(w->mutator);
    if (w->epoll_fd >= 0)
        (void)close(w->epoll_fd);
    if (w->wake_fd >= 0)
        (void)close(w->wake_fd);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}
