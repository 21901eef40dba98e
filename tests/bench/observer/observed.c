/* pitwall-load whose observing can be left out while it runs, to be held
 * against itself: the linker's --wrap puts these before the functions of the
 * same names. The file that OBSERVED_SWITCH names is shared with the bench:
 * it sets what is on, and reads how many requests were answered.
 *
 *   recording   counts and histograms of each request; off, only what progress
 *               and the end of the run need
 *   series      each second's histograms encoded and kept
 *   progress    a line on the terminal each second */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/series.h"

enum { RECORDING = 1, SERIES = 2, PROGRESS = 4 };

struct shared {
    atomic_uint_least64_t on;       /* of the three above, or-ed */
    atomic_uint_least64_t requests; /* answered */
};

void __real_recorder_add(struct recorder *r, const struct recorder_event *e);
void __real_series_collect(struct series *s, struct recorder *r);
int __real_isatty(int fd);
void __wrap_recorder_add(struct recorder *r, const struct recorder_event *e);
void __wrap_series_collect(struct series *s, struct recorder *r);
int __wrap_isatty(int fd);

static struct shared *shared;

__attribute__((constructor)) static void open_shared(void)
{
    const char *path = getenv("OBSERVED_SWITCH");
    int fd = open(path ? path : "", O_RDWR | O_CLOEXEC);
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                             MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        abort(); /* observer.py sets it */
    shared = at;
    (void)close(fd);
}

static bool is_on(unsigned what)
{
    return atomic_load_explicit(&shared->on, memory_order_relaxed) & what;
}

void __wrap_recorder_add(struct recorder *r, const struct recorder_event *e)
{
    atomic_fetch_add_explicit(&shared->requests, 1, memory_order_relaxed);
    if (is_on(RECORDING)) {
        __real_recorder_add(r, e);
        return;
    }
    recorder_tick(r, e->done_ns);
    r->in_flight--;
    r->totals.requests += e->requests;
    r->last_done_ns = e->done_ns;
}

void __wrap_series_collect(struct series *s, struct recorder *r)
{
    if (is_on(SERIES))
        __real_series_collect(s, r);
    else
        while (recorder_full(r))
            recorder_took(r);
}

int __wrap_isatty(int fd)
{
    return is_on(PROGRESS) && __real_isatty(fd);
}
