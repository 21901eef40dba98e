/* What happens in the heap, written to files while it happens: --gc-log and
 * --alloc-log. Events go into rings of fixed size, a thread of its own writes
 * them, so that neither a collection nor an allocation waits for a file; what
 * does not fit is counted and told as the log's last line. */
#ifndef PITWALL_TARGET_HEAPLOG_H
#define PITWALL_TARGET_HEAPLOG_H

#include "common/err.h"
#include "target/heap/event.h"
#include "target/heap/heap.h"

struct heaplog;

/* Open the files ("" or NULL: not this one); start_ns is the process's.
 * Errors  from_errno of the file that cannot be written, naming it.
 * Owns    *out is the caller's, for heaplog_close. */
CHECKED enum err heaplog_open(struct heaplog **out, const char *gc_path,
                              const char *alloc_path, uint64_t start_ns,
                              struct why *why);

/* The sink to give to heap_new; valid until heaplog_close. */
const struct heap_sink *heaplog_sink(const struct heaplog *log);

/* Start writing; the heap's sizes head the log. Thread: main. */
CHECKED enum err heaplog_start(struct heaplog *log, struct heap *heap,
                               struct why *why);

/* Write what is left and close; the heap must be at rest. NULL is fine. */
void heaplog_close(struct heaplog *log);

#endif
