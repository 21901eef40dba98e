/* A collector's log in OpenJDK's unified format, read without trust: its pauses
 * since the start. Pure. */
#ifndef PITWALL_RESULTS_GC_LOG_H
#define PITWALL_RESULTS_GC_LOG_H

#include <stddef.h>
#include <stdint.h>

struct gc_log {
    uint64_t young, other; /* pauses "Pause Young", and all others */
    double pause_ns, max_ns;
};

/* Of text [len]. A pause is a line with "Pause " that ends with its time,
 * "0.607ms"; all other lines are passed over. */
struct gc_log gc_log_read(const char *text, size_t len);

#endif
