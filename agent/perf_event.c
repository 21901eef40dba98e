#include "agent/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAKE_BYTES (64u << 10)

static enum err refused(int errnum, const struct perf_want *want,
                        struct why *why)
{
    const char *what = want->id ? "a tracepoint" : "the clock's stacks";
    if (errnum == EACCES || errnum == EPERM)
        return err_set(why, ERR_PERMISSION,
                       "the kernel forbids to sample %s of a thread: run the "
                       "agent as root, or allow it with sysctl "
                       "kernel.perf_event_paranoid=%d",
                       what,
                       want->id       ? -1
                       : want->kernel ? 1
                                      : 2);
    if (errnum == ESRCH)
        return err_set(why, ERR_NOTFOUND, "the thread has ended");
    return err_errno(why, errnum, "sample %s of a thread", what);
}

enum err perf_event_make(int *fd, pid_t tid, const struct perf_want *want,
                         struct why *why)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = want->id ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
        .config = want->id ? want->id : PERF_COUNT_SW_CPU_CLOCK,
        .sample_type = PERF_SAMPLE_TIME |
                       (want->id ? PERF_SAMPLE_RAW : PERF_SAMPLE_CALLCHAIN),
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .disabled = 1,
        .exclude_hv = 1,
        .exclude_kernel = !want->id && !want->kernel,
        .watermark = 1,
        .wakeup_watermark = WAKE_BYTES,
    };
    if (want->id) {
        a.sample_period = 1;
    } else {
        a.freq = 1;
        a.sample_freq = want->hz;
    }
    *fd = (int)syscall(SYS_perf_event_open, &a, tid, -1, -1,
                       PERF_FLAG_FD_CLOEXEC);
    if (*fd < 0)
        return refused(errno, want, why);
    if (want->filter && ioctl(*fd, PERF_EVENT_IOC_SET_FILTER, want->filter)) {
        enum err e = err_errno(why, errno, "filter \"%s\"", want->filter);
        (void)close(*fd);
        *fd = -1;
        return e;
    }
    return ERR_OK;
}

void perf_event_enable(int fd, bool on)
{
    if (fd < 0)
        return;
    (void)ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

enum err perf_ring_open(struct perf_ring *ring, int fd, bool stacks,
                        size_t bytes, struct why *why)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *ring = (struct perf_ring){.bytes = bytes, .stacks = stacks};
    void *map =
        mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return err_errno(why, errno,
                         "map a ring of %zu bytes (sysctl "
                         "kernel.perf_event_mlock_kb limits it)",
                         bytes);
    ring->map = map;
    return ERR_OK;
}

enum err perf_ring_share(int fd, int owner, struct why *why)
{
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner)
               ? err_errno(why, errno, "share a ring")
               : ERR_OK;
}

void perf_ring_close(struct perf_ring *ring)
{
    if (ring->map)
        (void)munmap(ring->map, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    ring->map = NULL;
}

/* A sample is its u64 time, then of PERF_SAMPLE_CALLCHAIN a u64 count and
 * addresses, of PERF_SAMPLE_RAW a u32 size and bytes. */
static void take_sample(const uint8_t *body, size_t len, bool stacks,
                        const struct perf_visitor *to)
{
    uint64_t count = 0, time_ns = 0;
    uint32_t size = 0;
    if (len < sizeof time_ns)
        return;
    memcpy(&time_ns, body, sizeof time_ns);
    if (time_ns < to->begin_ns || time_ns >= to->end_ns)
        return;
    body += sizeof time_ns;
    len -= sizeof time_ns;
    size_t head = stacks ? sizeof count : sizeof size;
    if (len < head)
        return;
    memcpy(stacks ? (void *)&count : (void *)&size, body, head);
    uint64_t bytes =
        stacks ? (count < UINT16_MAX ? 8 * count : UINT64_MAX) : size;
    if (bytes <= len - head)
        to->visit(to->ctx, body + head, (size_t)bytes);
}

void perf_parse(const uint8_t *data, size_t len, bool stacks,
                const struct perf_visitor *to, uint64_t *lost)
{
    struct perf_event_header h;
    uint64_t number;
    while (len >= sizeof h) {
        memcpy(&h, data, sizeof h);
        if (h.size < sizeof h || h.size > len)
            return;
        const uint8_t *body = data + sizeof h;
        if (h.type == PERF_RECORD_SAMPLE)
            take_sample(body, h.size - sizeof h, stacks, to);
        else if (h.type == PERF_RECORD_LOST && h.size >= sizeof h + 16) {
            memcpy(&number, body + 8, sizeof number); /* after the id */
            *lost += number;
        }
        data += h.size;
        len -= h.size;
    }
}

/* A record that goes round the ring's end is put together first. */
void perf_ring_drain(struct perf_ring *ring, const struct perf_visitor *to)
{
    struct perf_event_mmap_page *page = ring->map;
    if (!page)
        return;
    const uint8_t *data =
        (const uint8_t *)ring->map + (size_t)sysconf(_SC_PAGESIZE);
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = page->data_tail;
    while (tail < head) {
        uint8_t whole[UINT16_MAX + 1];
        struct perf_event_header h;
        size_t at = (size_t)(tail % ring->bytes), room = ring->bytes - at;
        memcpy(&h, data + at, sizeof h); /* records are 8-aligned */
        const uint8_t *from = data + at;
        if (h.size < sizeof h || h.size > head - tail)
            break;
        if (h.size > room) {
            memcpy(whole, from, room);
            memcpy(whole + room, data, h.size - room);
            from = whole;
        }
        perf_parse(from, h.size, ring->stacks, to, &ring->lost);
        tail += h.size;
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}
