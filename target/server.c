#include "target/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/rand.h"
#include "target/disk.h"
#include "target/final.h"
#include "target/heaplog.h"
#include "target/hiccup.h"
#include "target/native.h"
#include "target/worker.h"

#define ACCEPTS_PER_TURN 64
#define ERRAND_QUEUE     1000 /* as Elasticsearch's of searches */
/* After accept found no descriptor to be had. */
#define PAUSE_NS (100 * NS_PER_MS)

struct server {
    struct node node;
    struct final *final;
    struct census census;    /* for it */
    struct heaplog *heaplog; /* NULL: no logs */
    struct hiccup *hiccup;
    struct server_hooks hooks;
    struct gauge_window window; /* once it ended */
    int listen_fd;
    uint64_t paused_until_ns; /* 0: never paused */
    char url[96];
    uint16_t port;
    bool oom;
    struct worker **workers; /* [settings->threads] */
    size_t next;             /* whose turn it is to get a connection */
    struct ingest ingests[SETTINGS_THREADS_MAX]; /* of the bulk threads */
};

/* On bulk thread i. */
static void run_bulk(void *ctx, uint32_t i, struct mutator *m,
                     struct pool_work *work)
{
    struct server *s = ctx;
    struct conn *c =
        (struct conn *)(void *)((char *)work - offsetof(struct conn, work));
    struct ingest *in = &s->ingests[i];
    in->mutator = m;
    if (s->hooks.before_bulk) {
        heap_native_enter(m);
        s->hooks.before_bulk(s->hooks.ctx);
        heap_native_leave(m);
    }
    conn_bulk(c, in, s->node.tallies[1 + s->node.settings->threads + i]);
}

/* On an errand thread. */
static void run_errand(void *ctx, uint32_t i, struct mutator *m,
                       struct pool_work *work)
{
    struct conn *c =
        (struct conn *)(void *)((char *)work - offsetof(struct conn, work));
    (void)ctx, (void)i;
    conn_errand(c, m);
}

/* An agent's child leaves what it must in its working folder, which the agent
 * removes. */
static enum err open_indices(struct server *s, struct why *why)
{
    const struct settings *settings = s->node.settings;
    const char *temporary = settings->child ? "." : getenv("TMPDIR");
    struct indices_config config = {
        .folder = settings->data,
        .temporary = temporary && temporary[0] ? temporary : "/tmp",
        .shards = settings->shards,
        .threads = settings->bulk_threads,
        .templates = s->node.templates};
    if (!settings->index)
        return ERR_OK;
    enum err e = native_open(settings->native_limit_bytes, why);
    if (!e)
        e = disk_open(settings->durable, why);
    return e ? e : indices_open(&s->node.indices, &config, why);
}

static enum err open_tallies(struct node *n, struct why *why)
{
    size_t count = 1 + n->settings->threads + n->settings->bulk_threads;
    n->tallies = calloc(count, sizeof *n->tallies);
    while (n->tallies && n->n_tallies < count) {
        n->tallies[n->n_tallies] = tally_new(&n->window);
        if (!n->tallies[n->n_tallies])
            break;
        n->n_tallies++;
    }
    return n->n_tallies == count ? ERR_OK : err_set(why, ERR_NOMEM, "counters");
}

static enum err open_heap(struct server *s, struct why *why)
{
    struct node *n = &s->node;
    const struct settings *settings = n->settings;
    struct heap_config config = {.heap_bytes = settings->heap_bytes,
                                 .young_bytes = settings->young_bytes,
                                 .tlab_min_bytes = settings->min_tlab_bytes,
                                 .pretouch_all = settings->pretouch_all,
                                 .stress = s->hooks.heap_stress,
                                 .refuse_at = s->hooks.heap_refuse_at};
    enum err e = ERR_OK;
    if (settings->gc_log[0] || settings->alloc_log[0])
        e = heaplog_open(&s->heaplog, settings->gc_log, settings->alloc_log,
                         n->start_ns, why);
    if (s->heaplog)
        config.sink = heaplog_sink(s->heaplog);
    if (!e)
        e = heap_new(&n->heap, &config, why);
    if (!e && s->heaplog)
        e = heaplog_start(s->heaplog, n->heap, why);
    return e;
}

static enum err open_node(struct server *s, struct why *why)
{
    struct node *n = &s->node;
    const struct settings *settings = n->settings;
    n->start_ns = clock_mono_ns();
    enum err e = open_heap(s, why);
    if (e)
        return e;
    n->pages = pages_new(settings->heap_bytes);
    n->catalog = catalog_new();
    n->cluster = cluster_new();
    n->templates = templates_new();
    n->gauge = gauge_new(n->heap, &n->window, n->start_ns);
    n->static_body = malloc(settings->static_bytes + 1u);
    s->final = final_new();
    if (!n->pages || !n->catalog || !n->cluster || !n->gauge || !n->templates ||
        !n->static_body || !s->final)
        return err_set(why, ERR_NOMEM, "no memory to start");
    memset(n->static_body, ' ', settings->static_bytes);
    n->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (n->wake_fd < 0)
        return err_errno(why, errno, "eventfd");
    e = open_tallies(n, why);
    return e ? e : open_indices(s, why);
}

static enum err open_threads(struct server *s, struct why *why)
{
    struct node *n = &s->node;
    const struct settings *settings = n->settings;
    struct pool_config config = {.heap = n->heap,
                                 .name = "bulk",
                                 .threads = settings->bulk_threads,
                                 .queue = settings->bulk_queue,
                                 .run = run_bulk,
                                 .ctx = s};
    struct rand r = {n->start_ns};
    for (uint32_t i = 0; i < settings->bulk_threads; i++)
        s->ingests[i] = (struct ingest){.pages = n->pages,
                                        .catalog = n->catalog,
                                        .indices = n->indices,
                                        .parse_work = settings->parse_work,
                                        .slow = {.share = settings->slow_share},
                                        .id_seed = rand_next(&r)};
    enum err e = hiccup_open(&s->hiccup, n->heap, &n->window, why);
    if (!e)
        e = pool_open(&n->pool, &config, why);
    config.name = "errand";
    config.queue = ERRAND_QUEUE;
    config.run = run_errand;
    if (!e && n->indices)
        e = pool_open(&n->errands, &config, why);
    s->workers = calloc(settings->threads, sizeof(struct worker *));
    if (!e && !s->workers)
        e = err_set(why, ERR_NOMEM, "no memory to start");
    for (uint32_t i = 0; i < settings->threads && !e; i++)
        e = worker_open(&s->workers[i], n, n->tallies[1 + i], why);
    return e;
}

/* The socket's own address, for a port that was 0. */
static enum err name_socket(struct server *s, struct why *why)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    char host[64], port[8];
    if (getsockname(s->listen_fd, (struct sockaddr *)&a, &len))
        return err_errno(why, errno, "getsockname");
    if (getnameinfo((struct sockaddr *)&a, len, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        return err_set(why, ERR_IO, "getnameinfo");
    s->port = (uint16_t)strtoul(port, NULL, 10);
    bool v6 = a.ss_family == AF_INET6;
    (void)snprintf(s->url, sizeof s->url, "http://%s%s%s:%s", v6 ? "[" : "",
                   host, v6 ? "]" : "", port);
    return ERR_OK;
}

static enum err open_socket(struct server *s, const struct addrinfo *a,
                            struct why *why)
{
    const struct settings *settings = s->node.settings;
    int one = 1;
    s->listen_fd =
        socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listen_fd < 0)
        return err_errno(why, errno, "socket");
    if (setsockopt(s->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        bind(s->listen_fd, a->ai_addr, a->ai_addrlen) ||
        listen(s->listen_fd, SOMAXCONN)) {
        int errnum = errno;
        if (errnum == EADDRINUSE)
            return err_set(why, ERR_BUSY, "--listen %s:%u: address in use",
                           settings->host, settings->port);
        return err_errno(why, errnum, "--listen %s:%u", settings->host,
                         settings->port);
    }
    return name_socket(s, why);
}

static enum err open_listen(struct server *s, struct why *why)
{
    const struct settings *settings = s->node.settings;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char port[8];
    (void)snprintf(port, sizeof port, "%u", settings->port);
    if (getaddrinfo(settings->host, port, &hints, &found))
        return err_set(why, ERR_USAGE,
                       "--listen \"%s\": accepted are numeric addresses, such "
                       "as 127.0.0.1:9200",
                       settings->host);
    enum err e = open_socket(s, found, why);
    freeaddrinfo(found);
    return e;
}

enum err server_open(struct server **out, const struct settings *settings,
                     const struct server_hooks *hooks, struct why *why)
{
    *out = NULL;
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "no memory to start");
    s->node.settings = settings;
    s->node.wake_fd = s->listen_fd = -1;
    if (hooks)
        s->hooks = *hooks;
    enum err e = open_listen(s, why);
    if (!e)
        e = open_node(s, why);
    if (!e)
        e = open_threads(s, why);
    if (e) {
        server_close(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

const char *server_url(const struct server *s)
{
    return s->url;
}

uint16_t server_port(const struct server *s)
{
    return s->port;
}

static void welcome(struct server *s, int fd, uint64_t now_ns)
{
    int one = 1;
    /* Without them the connection only works less well. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    struct worker *w = s->workers[s->next++ % s->node.settings->threads];
    if (worker_adopt(w, fd))
        tally_add(s->node.tallies[0], TALLY_connections, 1, now_ns);
    else
        (void)close(fd);
}

/* The machine gives no more descriptors: wait for some to be closed. */
static void pause_accepting(struct server *s, int errnum, uint64_t now_ns)
{
    if (!s->paused_until_ns)
        log_warn("target accept paused: %s", strerror(errnum));
    s->paused_until_ns = now_ns + PAUSE_NS;
}

static void accept_all(struct server *s, uint64_t now_ns)
{
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd =
            accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            welcome(s, fd, now_ns);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
            errno == ENOMEM)
            pause_accepting(s, errno, now_ns);
        return;
    }
}

/* Wait for a connection, a request to stop, or the window. */
static bool wait_turn(struct server *s, const struct server_stop *stop)
{
    enum { LISTEN, WAKE, FIRST, SECOND, FDS };
    uint64_t now_ns = clock_mono_ns(), due_ns = gauge_due_ns(s->node.gauge);
    bool paused = now_ns < s->paused_until_ns;
    struct pollfd fds[FDS] = {
        [LISTEN] = {.fd = paused ? -1 : s->listen_fd, .events = POLLIN},
        [WAKE] = {.fd = s->node.wake_fd, .events = POLLIN},
        [FIRST] = {.fd = stop->fds[0], .events = POLLIN},
        [SECOND] = {.fd = stop->fds[1], .events = POLLIN}};
    if (paused && s->paused_until_ns < due_ns)
        due_ns = s->paused_until_ns;
    uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                               .tv_nsec = (long)(left_ns % NS_PER_S)};
    int n = ppoll(fds, FDS, due_ns == UINT64_MAX ? NULL : &timeout, NULL);
    now_ns = clock_mono_ns();
    gauge_tick(s->node.gauge, now_ns);
    if (n <= 0)
        return true;
    if (fds[LISTEN].revents)
        accept_all(s, now_ns);
    if (fds[WAKE].revents) {
        uint64_t count;
        if (read(s->node.wake_fd, &count, sizeof count) < 0)
            count = 0; /* nothing is lost: the flags are looked at anyway */
    }
    for (int i = FIRST; i <= SECOND; i++)
        if (fds[i].revents && stop->asked(stop->ctx, fds[i].fd))
            return false;
    return true;
}

/* End all threads: workers first, which may still wait for bulk threads. */
static void stop_threads(struct server *s)
{
    struct node *n = &s->node;
    atomic_store(&n->stopping, true);
    for (uint32_t i = 0; s->workers && i < n->settings->threads; i++)
        if (s->workers[i])
            worker_wake(s->workers[i]);
    for (uint32_t i = 0; s->workers && i < n->settings->threads; i++)
        if (s->workers[i])
            worker_join(s->workers[i]);
    if (n->indices)
        atomic_store(indices_given_up(n->indices), true);
    if (n->pool)
        pool_stop(n->pool);
    if (n->errands)
        pool_stop(n->errands);
}

enum err server_serve(struct server *s, const struct server_stop *stop,
                      struct why *why)
{
    while (!atomic_load(&s->node.oom) && wait_turn(s, stop))
        ;
    (void)close(s->listen_fd);
    s->listen_fd = -1;
    stop_threads(s);
    hiccup_stop(s->hiccup);
    s->oom = atomic_load(&s->node.oom);
    gauge_end(s->node.gauge, clock_mono_ns(), &s->window);
    /* Answers that were made but not delivered are counted as lost. */
    for (uint32_t i = 0; i < s->node.settings->threads; i++) {
        worker_close(s->workers[i]);
        s->workers[i] = NULL;
    }
    return s->oom ? err_set(why, ERR_OOM, "the heap of %llu bytes is full",
                            (unsigned long long)s->node.settings->heap_bytes)
                  : ERR_OK;
}

const char *server_final(struct server *s, size_t *len)
{
    if (s->node.indices)
        census_take(&s->census, s->node.indices);
    struct final_facts facts = {.oom = s->oom,
                                .census = s->node.indices ? &s->census : NULL,
                                .window = &s->window,
                                .tallies = s->node.tallies,
                                .n_tallies = s->node.n_tallies,
                                .hiccup_ns = hiccup_hist(s->hiccup),
                                .settings = s->node.settings};
    return final_write(s->final, &facts, len);
}

void server_totals(const struct server *s, struct counts *out)
{
    node_totals(&s->node, out);
}

void server_close(struct server *s)
{
    if (!s)
        return;
    struct node *n = &s->node;
    stop_threads(s);
    for (uint32_t i = 0; s->workers && i < n->settings->threads; i++)
        worker_close(s->workers[i]);
    free(s->workers);
    pool_close(n->pool);
    pool_close(n->errands);
    indices_close(n->indices);
    for (size_t i = 0; i < n->n_tallies; i++)
        tally_free(n->tallies[i]);
    free(n->tallies);
    hiccup_close(s->hiccup);
    heaplog_close(s->heaplog);
    final_free(s->final);
    gauge_free(n->gauge);
    cluster_free(n->cluster);
    templates_free(n->templates);
    catalog_free(n->catalog);
    pages_free(n->pages, NULL);
    free(n->static_body);
    heap_free(n->heap);
    if (n->wake_fd >= 0)
        (void)close(n->wake_fd);
    if (s->listen_fd >= 0)
        (void)close(s->listen_fd);
    free(s);
}
