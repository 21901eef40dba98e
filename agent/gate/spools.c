#include "agent/gate/spools.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void spools_init(struct spools *spools)
{
    memset(spools, 0, sizeof *spools);
    for (size_t i = 0; i < SPOOLS_MAX; i++)
        spools->entries[i].fd = -1;
}

static void release(struct spools_entry *entry)
{
    if (entry->fd >= 0)
        (void)close(entry->fd);
    entry->fd = -1;
}

void spools_fini(struct spools *spools)
{
    for (size_t i = 0; i < SPOOLS_MAX; i++)
        release(&spools->entries[i]);
}

static struct spools_entry *entry_of(struct spools *spools,
                                     const struct port_request *port)
{
    for (size_t i = 0; i < SPOOLS_MAX; i++) {
        struct spools_entry *entry = &spools->entries[i];
        if (entry->fd >= 0 && entry->tid == port->tid &&
            entry->att == port->att && !strcmp(entry->eid, port->eid))
            return entry;
    }
    return NULL;
}

int spools_find(struct spools *spools, const struct port_request *port,
                uint64_t now_ns)
{
    struct spools_entry *entry = entry_of(spools, port);
    if (!entry)
        return -1;
    entry->used_ns = now_ns;
    return entry->fd;
}

void spools_take(struct spools *spools, const struct port_request *port, int fd,
                 uint64_t now_ns)
{
    struct spools_entry *place = entry_of(spools, port);
    for (size_t i = 0; !place && i < SPOOLS_MAX; i++)
        if (spools->entries[i].fd < 0)
            place = &spools->entries[i];
    if (!place) {
        place = &spools->entries[0];
        for (size_t i = 1; i < SPOOLS_MAX; i++)
            if (spools->entries[i].used_ns < place->used_ns)
                place = &spools->entries[i];
    }
    release(place);
    place->fd = fd;
    place->tid = port->tid;
    place->att = port->att;
    memcpy(place->eid, port->eid, sizeof place->eid);
    place->used_ns = now_ns;
}

void spools_drop(struct spools *spools, const struct port_request *port)
{
    struct spools_entry *entry = entry_of(spools, port);
    if (entry)
        release(entry);
}

void spools_expire(struct spools *spools, uint64_t now_ns)
{
    for (size_t i = 0; i < SPOOLS_MAX; i++) {
        struct spools_entry *entry = &spools->entries[i];
        if (entry->fd >= 0 && now_ns - entry->used_ns >= SPOOLS_IDLE_NS)
            release(entry);
    }
}

enum err spools_read(int fd, const struct msg_collect *want, uint8_t *buf,
                     size_t *n, uint64_t *total, struct why *why)
{
    struct stat st;
    *n = 0;
    if (fstat(fd, &st))
        return err_errno(why, errno, "spool");
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INTERNAL, "spool: not a regular file");
    *total = (uint64_t)st.st_size;
    if (want->offset > *total)
        return err_set(why, ERR_RANGE, "offset %llu: the spool has %llu bytes",
                       (unsigned long long)want->offset,
                       (unsigned long long)*total);
    uint64_t left = *total - want->offset;
    size_t most = left < want->max ? (size_t)left : want->max;
    while (*n < most) {
        ssize_t got =
            pread(fd, buf + *n, most - *n, (off_t)(want->offset + *n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(why, errno, "read spool");
        if (!got)
            return err_set(why, ERR_CORRUPT,
                           "spool: shrank below %llu bytes while it was read",
                           (unsigned long long)*total);
        *n += (size_t)got;
    }
    return ERR_OK;
}
