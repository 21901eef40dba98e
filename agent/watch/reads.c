#include "agent/watch/reads.h"

#include <string.h>

/* A raw record: u16 the tracepoint's id, 6 bytes of all tracepoints, i32 the
 * call's number, padding; then an entry's arguments, 8 bytes each, or an exit's
 * i64 result (events/syscalls/.../format; part of the kernel's ABI). */
#define AT_VALUE 16u

const char *const reads_events[READS_EVENTS_N] = {
#define X(name, path) path,
    READS_EVENTS(X)
#undef X
};

const char *reads_filter(enum reads_event event)
{
    return event < READS_ENTER_READ ? "ret > 0" : NULL;
}

static enum reads_event event_of(const struct reads *reads, uint16_t id)
{
    unsigned i = 0;
    while (i < READS_EVENTS_N && reads->ids[i] != id)
        i++;
    return (enum reads_event)i;
}

void reads_add(struct reads_thread *thread, const uint8_t *raw, size_t len)
{
    struct reads *reads = thread->reads;
    uint16_t id = 0;
    int64_t value = 0;
    if (len >= AT_VALUE + sizeof value) {
        memcpy(&id, raw, sizeof id);
        memcpy(&value, raw + AT_VALUE, sizeof value);
    }
    enum reads_event event = event_of(reads, id);
    if (event == READS_EVENTS_N) {
        reads->strange++;
        return;
    }
    if (event >= READS_ENTER_READ) {
        thread->fd = value >= 0 && value <= INT32_MAX ? (int)value : -1;
        return;
    }
    bool known = event == READS_EXIT_RECVFROM || event == READS_EXIT_RECVMSG;
    if (value > 0 && (known || (thread->fd >= 0 &&
                                thread->is_socket(thread->ctx, thread->fd))))
        hist_record(reads->hist, (uint64_t)value);
    if (!known)
        thread->fd = -1;
}
