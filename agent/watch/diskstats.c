#include "agent/watch/diskstats.h"

#include <string.h>

#include "agent/watch/scan.h"

#define SECTOR_BYTES 512        /* in this file whatever the device's own is */
#define NS_PER_TICK  1000000ull /* its times are milliseconds */

/* "sda1" after "sda", "nvme0n1p2" after "nvme0n1": the whole device's name, a
 * p where that ends in a digit, and a number. Partitions follow their disk. */
static bool partition_of(const char *name, const char *disk)
{
    size_t n = strlen(disk);
    if (!n || strncmp(name, disk, n))
        return false;
    const char *rest = name + n;
    if (disk[n - 1] >= '0' && disk[n - 1] <= '9' && *rest++ != 'p')
        return false;
    return *rest && strspn(rest, "0123456789") == strlen(rest);
}

static bool parse_line(struct scan *line, struct diskstats *d)
{
    struct scan name;
    uint64_t read = 0, written = 0, busy = 0;
    memset(d, 0, sizeof *d);
    /* major minor NAME reads merged SECTORS ms writes merged SECTORS ms
     * in-flight BUSY-MS weighted-ms */
    if (!scan_skip(line, 2) || !scan_word(line, &name) || !scan_skip(line, 2) ||
        !scan_u64(line, &read) || !scan_skip(line, 3) ||
        !scan_u64(line, &written) || !scan_skip(line, 2) ||
        !scan_u64(line, &busy))
        return false;
    scan_copy(&name, d->name, sizeof d->name);
    return !__builtin_mul_overflow(read, SECTOR_BYTES, &d->read_bytes) &&
           !__builtin_mul_overflow(written, SECTOR_BYTES, &d->write_bytes) &&
           !__builtin_mul_overflow(busy, NS_PER_TICK, &d->busy_ns);
}

size_t diskstats_parse(const char *text, size_t len, struct diskstats *out,
                       size_t max)
{
    struct scan all = scan_text(text, len), line;
    struct diskstats d;
    char disk[sizeof d.name] = "";
    size_t n = 0;
    while (n < max && scan_line(&all, &line)) {
        if (!parse_line(&line, &d) || partition_of(d.name, disk))
            continue;
        memcpy(disk, d.name, sizeof disk);
        if (d.read_bytes || d.write_bytes || d.busy_ns)
            out[n++] = d;
    }
    return n;
}
