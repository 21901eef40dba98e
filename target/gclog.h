/* The collector's log in the line shape of OpenJDK's unified logging with the
 * tags gc, gc,start, gc,heap and gc,cpu of Serial (JEP 158), so that readers of
 * such logs read ours. Pure text; heaplog.c writes it. */
#ifndef PITWALL_TARGET_GCLOG_H
#define PITWALL_TARGET_GCLOG_H

#include <stddef.h>
#include <stdint.h>

#include "target/heap/event.h"
#include "target/heap/stats.h"

#define GCLOG_LINES_MAX 1024u /* bytes of one collection's lines */

/* The lines that open a log: which collector, which sizes. Bytes written. */
size_t gclog_head(const struct heap_stats *sizes, char *to, size_t size);

/* The lines of collection number id; start_ns is the process's. Levels of
 * sizes give the capacities. Bytes written. */
size_t gclog_lines(const struct heap_gc *gc, uint64_t id, uint64_t start_ns,
                   const struct heap_stats *sizes, char *to, size_t size);

#endif
