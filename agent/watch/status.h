/* /proc/PID/status: by which number a process knows itself, and which signals
 * it handles. */
#ifndef PITWALL_AGENT_WATCH_STATUS_H
#define PITWALL_AGENT_WATCH_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct status {
    int own_pid;     /* in its own, innermost pid namespace */
    uint64_t caught; /* bit n - 1: it handles signal n */
};

/* Read the text; false when one of the two is missing. */
bool status_parse(const char *text, size_t len, struct status *out);

/* The same of a process that runs; proc_dir is "/proc". */
bool status_read(struct status *out, const char *proc_dir, int pid);

#endif
