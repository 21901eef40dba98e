/* The files of the index: SQLite's own file system, with the time counted that
 * threads are held up in it. What the page cache takes at once is no wait: only
 * calls of DISK_SLOW_NS and more are. SQLite knows one default file system per
 * process, so this is the process's. */
#ifndef PITWALL_TARGET_DISK_H
#define PITWALL_TARGET_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define DISK_SLOW_NS 100000u /* a copy of a page takes 1 us */

/* Totals since the start. */
struct disk {
    uint64_t wait_ns; /* some thread was in a slow call; at least so long */
    uint64_t syncs;   /* files made durable */
};

/* Make SQLite's files pass here, once, after native_open and before a file is
 * opened. durable: a commit is on the disk when it is answered, not only at the
 * next flush; later calls only set that. ERR_STATE: SQLite has no file system.
 */
CHECKED enum err disk_open(bool durable, struct why *why);
bool disk_is_durable(void);

/* Thread: any. */
void disk_read(struct disk *out);

/* Pure part: the call that ends at end_ns, having begun at begin_ns, after
 * others that ended before: what it adds to the time in which some thread was
 * in a call. *covered_ns is where the last one ended. */
uint64_t disk_cover(uint64_t begin_ns, uint64_t end_ns, uint64_t *covered_ns);

#endif
