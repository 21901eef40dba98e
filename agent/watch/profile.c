#include "agent/watch/profile.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/perf_event.h"
#include "agent/tracefs.h"
#include "agent/watch/cage.h"
#include "agent/watch/reads.h"
#include "agent/watch/stacks.h"
#include "common/clock.h"

#define DRAIN_NS    (20 * NS_PER_MS) /* 50 MB/s of reads fill a ring */
#define DISCOVER_NS NS_PER_S
#define LEAD_NS     (300 * NS_PER_MS) /* samples know when they were */
#define READS_BYTES (1u << 20)
#define CLOCK_BYTES (64u << 10) /* 20 ms of stacks are some 3 KiB */
#define KNOWN_FDS   64          /* of a thread, until the next discovery */

enum state { BEFORE, WITHIN, AFTER };

/* Of a thread: those of its reads, then its clock. */
enum { CLOCK = READS_EVENTS_N, EVENTS };

struct thread {
    struct profile *profile;
    pid_t pid, tid;
    int fds[EVENTS];
    struct perf_ring ring;  /* of the reads */
    struct perf_ring clock; /* of the stacks */
    struct stacks_process *process;
    struct reads_thread reads;
    struct {
        int fd; /* and one, 0: none */
        bool socket;
    } known[KNOWN_FDS];
};

struct profile {
    struct profile_args args;
    enum state state;
    uint64_t next_ns, discover_ns; /* the next look */
    uint64_t begin_ns, end_ns;     /* of the window */
    struct reads reads;
    struct hist hist;
    struct stacks *stacks;  /* NULL: none wanted */
    struct thread *threads; /* [n_threads] */
    size_t n_threads;
    bool kernel_hidden; /* stacks are of the program's own time */
    uint64_t beyond, failed;
    struct why failure; /* the first */
};

static bool is_socket(void *ctx, int fd)
{
    struct thread *t = ctx;
    size_t at = (size_t)fd % KNOWN_FDS;
    if (t->known[at].fd == fd + 1)
        return t->known[at].socket;
    char path[96], to[16] = "";
    (void)snprintf(path, sizeof path, "%.40s/%d/fd/%d",
                   t->profile->args.proc_dir, (int)t->pid, fd);
    ssize_t n = readlink(path, to, sizeof to - 1);
    t->known[at].fd = fd + 1;
    t->known[at].socket = n > 0 && !strncmp(to, "socket:", 7);
    return t->known[at].socket;
}

static void take_read(void *ctx, const uint8_t *data, size_t len)
{
    struct thread *t = ctx;
    reads_add(&t->reads, data, len);
}

static void take_stack(void *ctx, const uint8_t *data, size_t len)
{
    struct thread *t = ctx;
    if (t->process)
        stacks_add(t->profile->stacks, t->process, data, len);
}

static void close_thread(struct thread *t)
{
    perf_ring_close(&t->ring);
    perf_ring_close(&t->clock);
    for (size_t i = 0; i < EVENTS; i++)
        if (t->fds[i] >= 0)
            (void)close(t->fds[i]);
}

/* The events of reads write into the first one's ring. */
static enum err open_reads(struct profile *p, struct thread *t, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < READS_EVENTS_N; i++) {
        const struct perf_want want = {
            .id = p->reads.ids[i], .filter = reads_filter((enum reads_event)i)};
        e = perf_event_make(&t->fds[i], t->tid, &want, why);
        if (!e)
            e = i ? perf_ring_share(t->fds[i], t->fds[0], why)
                  : perf_ring_open(&t->ring, t->fds[0], false, READS_BYTES,
                                   why);
    }
    return e ? err_wrap(why, e, "telemetry reads") : ERR_OK;
}

/* Where the kernel keeps its own stacks to itself, the program's will do. */
static enum err open_clock(struct profile *p, struct thread *t, struct why *why)
{
    struct perf_want want = {.hz = PROFILE_HZ, .kernel = true};
    enum err e = perf_event_make(&t->fds[CLOCK], t->tid, &want, why);
    if (e == ERR_PERMISSION) {
        p->kernel_hidden = true;
        want.kernel = false;
        e = perf_event_make(&t->fds[CLOCK], t->tid, &want, why);
    }
    if (!e)
        e = perf_ring_open(&t->clock, t->fds[CLOCK], true, CLOCK_BYTES, why);
    return e ? err_wrap(why, e, "telemetry perf") : ERR_OK;
}

static enum err open_thread(struct profile *p, struct thread *t, pid_t pid,
                            pid_t tid, struct why *why)
{
    *t = (struct thread){.profile = p, .pid = pid, .tid = tid};
    t->reads = (struct reads_thread){
        .reads = &p->reads, .is_socket = is_socket, .ctx = t, .fd = -1};
    for (size_t i = 0; i < EVENTS; i++)
        t->fds[i] = -1;
    enum err e = p->args.reads ? open_reads(p, t, why) : ERR_OK;
    if (!e && p->args.perf)
        e = open_clock(p, t, why);
    if (e)
        close_thread(t);
    return e;
}

static enum err find_ids(struct profile *p, struct why *why)
{
    int fd = -1;
    enum err e = tracefs_open(&fd, why);
    for (size_t i = 0; !e && i < READS_EVENTS_N; i++)
        e = tracefs_id(fd, reads_events[i], &p->reads.ids[i], why);
    if (fd >= 0)
        (void)close(fd);
    return e ? err_wrap(why, e, "telemetry reads") : ERR_OK;
}

enum err profile_open(struct profile **out, const struct profile_args *args,
                      struct why *why)
{
    struct thread probe;
    struct profile *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return err_set(why, ERR_NOMEM, "profile");
    p->args = *args;
    p->reads.hist = &p->hist;
    p->threads = calloc(PROFILE_THREADS_MAX, sizeof *p->threads);
    enum err e = p->threads ? ERR_OK : err_set(why, ERR_NOMEM, "profile");
    if (!e && args->reads)
        e = find_ids(p, why);
    if (!e && args->perf)
        e = stacks_open(&p->stacks, args->proc_dir, why);
    if (!e)
        e = open_thread(p, &probe, getpid(), gettid(), why);
    if (e) {
        profile_close(p);
        return e;
    }
    close_thread(&probe);
    *out = p;
    return ERR_OK;
}

void profile_close(struct profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_threads; i++)
        close_thread(&p->threads[i]);
    stacks_close(p->stacks);
    free(p->threads);
    free(p);
}

static void drain(struct thread *t)
{
    const struct profile *p = t->profile;
    const struct perf_visitor read = {take_read, t, p->begin_ns, p->end_ns};
    const struct perf_visitor stack = {take_stack, t, p->begin_ns, p->end_ns};
    perf_ring_drain(&t->ring, &read);
    perf_ring_drain(&t->clock, &stack);
}

static struct thread *find(struct profile *p, pid_t tid)
{
    for (size_t i = 0; i < p->n_threads; i++)
        if (p->threads[i].tid == tid)
            return &p->threads[i];
    return NULL;
}

/* The rings hold a pointer to their thread: places are kept while it lives. */
static void adopt(struct profile *p, pid_t pid, pid_t tid, const char *comm)
{
    struct thread *t = find(p, tid);
    struct why why = {""};
    if (t) {
        memset(t->known, 0, sizeof t->known);
        return;
    }
    if (p->n_threads == PROFILE_THREADS_MAX) {
        p->beyond++;
        return;
    }
    t = &p->threads[p->n_threads];
    enum err e = open_thread(p, t, pid, tid, &why);
    if (e == ERR_NOTFOUND)
        return;
    if (e) {
        if (!p->failed++)
            p->failure = why;
        return;
    }
    p->n_threads++;
    if (p->stacks)
        t->process = stacks_process(p->stacks, (int)pid, comm);
    for (size_t i = 0; i < EVENTS; i++)
        perf_event_enable(t->fds[i], true);
}

static void adopt_process(struct profile *p, pid_t pid, const char *comm)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%.40s/%d/task", p->args.proc_dir,
                   (int)pid);
    DIR *tasks = opendir(path);
    const struct dirent *d = NULL;
    while (tasks && (d = readdir(tasks)))
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
            adopt(p, pid, (pid_t)strtol(d->d_name, NULL, 10), comm);
    if (tasks)
        (void)closedir(tasks);
}

/* Every thread of the cage's processes but this one's. */
static void discover(struct profile *p)
{
    struct cage cage;
    cage_open(&cage, p->args.proc_dir, p->args.own_pgrp);
    cage_prime(&cage);
    for (size_t i = 0; i < cage.n; i++)
        if ((pid_t)cage.processes[i].last.pid != getpid())
            adopt_process(p, (pid_t)cage.processes[i].last.pid,
                          cage.processes[i].last.comm);
    cage_close(&cage);
}

static void finish(struct profile *p)
{
    for (size_t i = 0; i < p->n_threads; i++)
        for (size_t k = 0; k < EVENTS; k++)
            perf_event_enable(p->threads[i].fds[k], false);
    for (size_t i = 0; i < p->n_threads; i++)
        drain(&p->threads[i]);
    p->state = AFTER;
}

void profile_turn(struct profile *p, const struct measure_window *window,
                  uint64_t now_ns)
{
    if (p->state == AFTER || now_ns < profile_due_ns(p, window))
        return;
    if (now_ns >= window->end_ns) {
        if (p->state == WITHIN)
            finish(p);
        p->state = AFTER;
        return;
    }
    p->state = WITHIN;
    p->begin_ns = window->begin_ns;
    p->end_ns = window->end_ns;
    if (now_ns >= p->discover_ns) {
        discover(p);
        p->discover_ns =
            now_ns < p->begin_ns ? p->begin_ns : now_ns + DISCOVER_NS;
    }
    for (size_t i = 0; i < p->n_threads; i++)
        drain(&p->threads[i]);
    p->next_ns = now_ns + DRAIN_NS;
}

uint64_t profile_due_ns(const struct profile *p,
                        const struct measure_window *window)
{
    if (p->state == BEFORE)
        return window->begin_ns - LEAD_NS;
    if (p->state == AFTER)
        return UINT64_MAX;
    return p->next_ns < window->end_ns ? p->next_ns : window->end_ns;
}

static void emit_reads(struct profile *p, struct emit *emit)
{
    uint8_t *buf = malloc(HIST_BLOB_MAX);
    struct record_hist r = {.kind = "kernel_reads",
                            .second = RECORD_WHOLE_WINDOW};
    if (buf && p->hist.total) {
        r.blob =
            (struct wire_blob){buf, hist_encode(&p->hist, buf, HIST_BLOB_MAX)};
        emit_record(emit, RECORD_IS_hist, &r);
    }
    free(buf);
    emit_count(emit, "watch.reads", p->hist.total);
    if (p->reads.strange)
        emit_count(emit, "watch.reads_strange", p->reads.strange);
}

void profile_emit(struct profile *p, struct emit *emit)
{
    if (p->state == WITHIN) /* STOP came within the window */
        finish(p);
    if (p->args.reads)
        emit_reads(p, emit);
    if (p->stacks)
        stacks_emit(p->stacks, emit);
    uint64_t lost = 0;
    for (size_t i = 0; i < p->n_threads; i++)
        lost += p->threads[i].ring.lost + p->threads[i].clock.lost;
    emit_count(emit, "watch.profile_threads", p->n_threads);
    if (p->args.perf)
        emit_count(emit, "watch.profile_kernel", !p->kernel_hidden);
    emit_count(emit, "watch.profile_lost", lost);
    if (p->beyond)
        emit_count(emit, "watch.profile_beyond", p->beyond);
    if (p->failed)
        emit_fact(emit, "watch.profile_error", p->failure.text);
}
