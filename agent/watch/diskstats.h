/* /proc/diskstats: what the machine's block devices did. */
#ifndef PITWALL_AGENT_WATCH_DISKSTATS_H
#define PITWALL_AGENT_WATCH_DISKSTATS_H

#include <stddef.h>
#include <stdint.h>

#define DISKSTATS_MAX 32 /* devices; those beyond are not watched */

struct diskstats {
    char name[32];
    uint64_t read_bytes, write_bytes;
    uint64_t busy_ns; /* with at least one request under way */
};

/* Read the text into out[max]; how many there are. Partitions are passed over
 * (their disk counts the same bytes), devices that never did anything too. */
size_t diskstats_parse(const char *text, size_t len, struct diskstats *out,
                       size_t max);

#endif
