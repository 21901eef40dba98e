#include "agent/watch/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/counter.h"
#include "agent/watch/scan.h"

#define STAT_BYTES 128 /* three numbers */

void threads_init(struct threads *threads)
{
    memset(threads, 0, sizeof *threads);
}

static void drop(struct threads *threads, size_t i)
{
    (void)close(threads->of[i].fd);
    threads->of[i] = threads->of[--threads->n];
}

void threads_fini(struct threads *threads)
{
    while (threads->n)
        drop(threads, threads->n - 1);
}

void threads_forget(struct threads *threads, uint64_t pid)
{
    for (size_t i = threads->n; i-- > 0;)
        if (threads->of[i].pid == pid)
            drop(threads, i);
}

bool threads_parse(const char *text, size_t len, uint64_t *run_ns,
                   uint64_t *wait_ns)
{
    struct scan all = scan_text(text, len), line;
    uint64_t slices;
    return scan_line(&all, &line) && scan_u64(&line, run_ns) &&
           scan_u64(&line, wait_ns) && scan_u64(&line, &slices);
}

static bool read_one(int fd, uint64_t *run_ns, uint64_t *wait_ns)
{
    char text[STAT_BYTES];
    ssize_t n;
    do
        n = pread(fd, text, sizeof text, 0);
    while (n < 0 && errno == EINTR);
    return n > 0 && threads_parse(text, (size_t)n, run_ns, wait_ns);
}

static bool known(const struct threads *threads, uint64_t pid, uint64_t tid)
{
    for (size_t i = 0; i < threads->n; i++)
        if (threads->of[i].tid == tid && threads->of[i].pid == pid)
            return true;
    return false;
}

/* False: there is no place for it. */
static bool adopt(struct threads *threads, uint64_t pid, int tasks,
                  const char *tid, bool base)
{
    char path[48];
    struct threads_one one = {.pid = pid, .tid = strtoull(tid, NULL, 10)};
    if (known(threads, pid, one.tid))
        return true;
    if (threads->n == THREADS_MAX)
        return false;
    (void)snprintf(path, sizeof path, "%.20s/schedstat", tid);
    one.fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (one.fd < 0)
        return true; /* ended meanwhile, or a kernel without */
    if (base && !read_one(one.fd, &one.run_ns, &one.wait_ns))
        (void)close(one.fd);
    else
        threads->of[threads->n++] = one;
    return true;
}

static void discover(struct threads *threads, uint64_t pid, DIR *tasks,
                     bool base)
{
    const struct dirent *d = NULL;
    uint64_t beyond = 0;
    rewinddir(tasks);
    while ((d = readdir(tasks)))
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
            beyond += !adopt(threads, pid, dirfd(tasks), d->d_name, base);
    if (beyond > threads->beyond)
        threads->beyond = beyond;
}

/* Take what those known since the look before came to; how many there are. */
static size_t take(struct threads *threads, uint64_t pid,
                   struct threads_sum *out, uint64_t *top_tid)
{
    size_t n = 0;
    for (size_t i = threads->n; i-- > 0;) {
        struct threads_one *t = &threads->of[i];
        uint64_t run_ns, wait_ns;
        if (t->pid != pid)
            continue;
        if (!read_one(t->fd, &run_ns, &wait_ns)) {
            drop(threads, i);
            continue;
        }
        uint64_t ran_ns = counter_since(t->run_ns, run_ns);
        uint64_t waited_ns = counter_since(t->wait_ns, wait_ns);
        t->run_ns = run_ns;
        t->wait_ns = wait_ns;
        n++;
        out->wait_ns += waited_ns;
        if (ran_ns <= out->top_ns)
            continue;
        out->top_ns = ran_ns;
        out->top_wait_ns = waited_ns;
        *top_tid = t->tid;
    }
    return n;
}

/* Names are given after the start, so they are read when one is needed. */
static void name_top(int tasks, uint64_t tid, char *name, size_t size)
{
    char path[48], text[32];
    (void)snprintf(path, sizeof path, "%llu/comm", (unsigned long long)tid);
    int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    (void)snprintf(name, size, "%.*s", (int)strcspn(text, "\n"), text);
}

void threads_look(struct threads *threads, uint64_t pid, DIR *tasks,
                  uint64_t n_threads, bool base, struct threads_sum *out)
{
    uint64_t top_tid = 0;
    *out = (struct threads_sum){0};
    size_t n = take(threads, pid, out, &top_tid);
    if (n != n_threads) {
        size_t before = threads->n;
        discover(threads, pid, tasks, base);
        if (threads->n > before && !base)
            (void)take(threads, pid, out, &top_tid);
    }
    if (top_tid)
        name_top(dirfd(tasks), top_tid, out->top, sizeof out->top);
}
