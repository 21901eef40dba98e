#include "agent/watch/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/counter.h"
#include "common/clock.h"

#define STAT_BYTES 1024 /* 52 numbers and a comm */

void cage_open(struct cage *cage, const char *root, bool own_pgrp)
{
    memset(cage, 0, sizeof *cage);
    cage->proc = opendir(root);
    cage->own_pgrp = own_pgrp;
    cage->tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    cage->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    threads_init(&cage->threads);
}

static void forget(struct cage *cage, size_t i)
{
    struct cage_process *p = &cage->processes[i];
    threads_forget(&cage->threads, p->last.pid);
    if (p->tasks)
        (void)closedir(p->tasks);
    (void)close(p->fd);
    cage->processes[i] = cage->processes[--cage->n];
}

void cage_close(struct cage *cage)
{
    while (cage->n)
        forget(cage, cage->n - 1);
    if (cage->proc)
        (void)closedir(cage->proc);
    cage->proc = NULL;
}

static bool read_stat(int fd, struct procstat *out)
{
    char text[STAT_BYTES];
    ssize_t n;
    do
        n = pread(fd, text, sizeof text, 0);
    while (n < 0 && errno == EINTR);
    return n > 0 && procstat_parse(text, (size_t)n, out);
}

static bool taken(const struct cage *cage, const char *name)
{
    for (size_t i = 0; i < cage->n; i++)
        if (!strcmp(cage->processes[i].name, name))
            return true;
    return false;
}

/* Our programs by their part, once each; others by comm and number, since a
 * sample's name is part of its key. */
static void name_process(const struct cage *cage, const struct procstat *s,
                         char *out, size_t size)
{
    static const char prefix[] = "pitwall-";
    const char *part = s->comm + sizeof prefix - 1;
    bool ours = !strncmp(s->comm, prefix, sizeof prefix - 1) &&
                (!strcmp(part, "target") || !strcmp(part, "load") ||
                 !strcmp(part, "watch"));
    if (ours && !taken(cage, part))
        (void)snprintf(out, size, "%s", part);
    else
        (void)snprintf(out, size, "%s.%llu", s->comm,
                       (unsigned long long)s->pid);
}

static bool known(const struct cage *cage, uint64_t pid)
{
    for (size_t i = 0; i < cage->n; i++)
        if (cage->processes[i].last.pid == pid)
            return true;
    return false;
}

/* Its folder of threads. */
static DIR *open_tasks(const struct cage *cage, const char *pid)
{
    char path[32];
    (void)snprintf(path, sizeof path, "%.20s/task", pid);
    int fd =
        openat(dirfd(cage->proc), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir)
        (void)close(fd);
    return dir;
}

/* A process that was not there before: its base is nothing. */
static void adopt(struct cage *cage, const char *pid)
{
    char path[32];
    struct procstat s;
    (void)snprintf(path, sizeof path, "%.20s/stat", pid);
    int fd = openat(dirfd(cage->proc), path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* ended meanwhile */
    bool alien = !read_stat(fd, &s) ||
                 (cage->own_pgrp && s.pgrp != (uint64_t)getpgrp()) ||
                 (!cage->own_pgrp && s.pid == 1); /* the cage's own init */
    if (alien || cage->n == CAGE_MAX) {
        cage->beyond += !alien;
        (void)close(fd);
        return;
    }
    struct cage_process *p = &cage->processes[cage->n];
    *p = (struct cage_process){.fd = fd, .last = {.pid = s.pid}};
    p->tasks = open_tasks(cage, pid);
    name_process(cage, &s, p->name, sizeof p->name);
    cage->n++;
}

static void discover(struct cage *cage)
{
    const struct dirent *d = NULL;
    if (!cage->proc)
        return;
    rewinddir(cage->proc);
    while ((d = readdir(cage->proc)))
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
            !known(cage, strtoull(d->d_name, NULL, 10)))
            adopt(cage, d->d_name);
}

static void look(struct cage *cage, const struct cage_process *p,
                 uint64_t n_threads, bool base, struct threads_sum *out)
{
    *out = (struct threads_sum){0};
    if (p->tasks)
        threads_look(&cage->threads, p->last.pid, p->tasks, n_threads, base,
                     out);
}

void cage_prime(struct cage *cage)
{
    struct threads_sum unused;
    discover(cage);
    for (size_t i = cage->n; i-- > 0;) {
        struct cage_process *p = &cage->processes[i];
        if (read_stat(p->fd, &p->last))
            look(cage, p, p->last.threads, true, &unused);
        else
            forget(cage, i);
    }
}

void cage_affinity(const struct cage *cage, struct affinity *affinity)
{
    for (size_t i = 0; i < cage->n; i++)
        if (strcmp(cage->processes[i].name, "watch") != 0)
            affinity_look(affinity, dirfd(cage->proc),
                          cage->processes[i].last.pid);
}

static void sample_one(struct cage *cage, struct cage_process *p,
                       const struct procstat *now, int64_t second,
                       struct emit *emit)
{
    struct threads_sum threads;
    look(cage, p, now->threads, false, &threads);
    struct record_sample_proc r = {
        .second = second,
        .user_ns =
            counter_since(p->last.user_ticks, now->user_ticks) * cage->tick_ns,
        .system_ns = counter_since(p->last.system_ticks, now->system_ticks) *
                     cage->tick_ns,
        .rss_bytes = now->rss_pages * cage->page_bytes,
        .threads = now->threads,
        .majflt = counter_since(p->last.majflt, now->majflt),
        .wait_ns = threads.wait_ns,
        .top_ns = threads.top_ns,
        .top_wait_ns = threads.top_wait_ns,
    };
    (void)snprintf(r.top, sizeof r.top, "%s", threads.top);
    emit_side(emit, r.side);
    (void)snprintf(r.name, sizeof r.name, "%s", p->name);
    emit_record(emit, RECORD_IS_sample_proc, &r);
    p->last = *now;
}

void cage_sample(struct cage *cage, int64_t second, struct emit *emit)
{
    struct procstat now;
    discover(cage);
    for (size_t i = cage->n; i-- > 0;) {
        struct cage_process *p = &cage->processes[i];
        if (read_stat(p->fd, &now))
            sample_one(cage, p, &now, second, emit);
        else
            forget(cage, i);
    }
}
