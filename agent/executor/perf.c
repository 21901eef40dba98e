#include "agent/executor/perf.h"

#include <stdio.h>
#include <unistd.h>

#include "agent/perf_event.h"
#include "agent/tracefs.h"

#define RING_BYTES (64u << 10)

/* Sample ourselves, as the watch will sample the target's threads. */
static enum err try(const struct perf_want *want, struct why *why)
{
    struct perf_ring ring = {0};
    int fd = -1;
    enum err e = perf_event_make(&fd, gettid(), want, why);
    if (!e)
        e = perf_ring_open(&ring, fd, !want->id, RING_BYTES, why);
    perf_ring_close(&ring);
    if (fd >= 0)
        (void)close(fd);
    return e;
}

static enum err try_stacks(void *arg, struct why *why)
{
    const struct perf_want want = {.hz = 100};
    (void)arg;
    return try(&want, why);
}

static enum err try_reads(void *arg, struct why *why)
{
    struct perf_want want = {0};
    int fd = -1;
    (void)arg;
    enum err e = tracefs_open(&fd, why);
    if (!e)
        e = tracefs_id(fd, "syscalls/sys_exit_read", &want.id, why);
    if (!e)
        e = try(&want, why);
    if (fd >= 0)
        (void)close(fd);
    return e;
}

static bool can(const struct cage *cage, cage_work *work, char missing[200])
{
    struct why why = {""};
    bool good = cage_run(cage, work, NULL, 0, &why) == ERR_OK;
    (void)snprintf(missing, 200, "%.199s", good ? "" : why.text);
    return good;
}

void perf_probe(struct perf *out, const struct cage *cage)
{
    out->stacks = can(cage, try_stacks, out->stacks_missing);
    out->reads = can(cage, try_reads, out->reads_missing);
}
