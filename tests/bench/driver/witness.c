/* Loaded before a driver (LD_PRELOAD), this takes the time of what the driver's
 * sockets do, which no engine's own work is part of: from the call that sends a
 * request to the return of the call that reads its answer. So it is only for
 * requests and answers that need one call each.
 *
 * At the end it writes to the file that WITNESS names: the number of requests
 * and the percentiles p50, p90 and p99 of their times in ns. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/clock.h"

#define FDS_MAX   4096
#define TIMES_MAX (1u << 22)

static uint64_t sent_ns[FDS_MAX]; /* of a request not answered; 0: none */
static uint32_t times_ns[TIMES_MAX];
static size_t n_times;

ssize_t send(int fd, const void *data, size_t len, int flags)
{
    static ssize_t (*real)(int, const void *, size_t, int);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "send");
    uint64_t now_ns = clock_mono_ns();
    ssize_t n = real(fd, data, len, flags);
    if (n > 0 && fd < FDS_MAX)
        sent_ns[fd] = now_ns;
    return n;
}

ssize_t recv(int fd, void *data, size_t len, int flags)
{
    static ssize_t (*real)(int, void *, size_t, int);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "recv");
    ssize_t n = real(fd, data, len, flags);
    if (n <= 0 || flags & MSG_PEEK || fd >= FDS_MAX || !sent_ns[fd])
        return n;
    if (n_times < TIMES_MAX)
        times_ns[n_times++] = (uint32_t)(clock_mono_ns() - sent_ns[fd]);
    sent_ns[fd] = 0;
    return n;
}

static int by_length(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("WITNESS");
    FILE *to = path && n_times ? fopen(path, "we") : NULL;
    if (!to)
        return;
    qsort(times_ns, n_times, sizeof *times_ns, by_length);
    (void)fprintf(to, "%zu %u %u %u\n", n_times, times_ns[n_times / 2],
                  times_ns[n_times * 9 / 10], times_ns[n_times * 99 / 100]);
    (void)fclose(to);
}
