/* A Java virtual machine's log of its collections, read while it is written. */
#ifndef PITWALL_AGENT_WATCH_JVM_LOG_H
#define PITWALL_AGENT_WATCH_JVM_LOG_H

#include "agent/watch/jvm_sum.h"

#define JVM_LOG_LINE_MAX 4096u /* longer lines are passed over */

struct jvm_log {
    const char *path; /* borrowed */
    int fd;           /* -1: not there yet */
    uint64_t at;      /* read so far */
    size_t held;      /* of a line that is not all there */
    bool skipping;    /* of one that is too long */
    bool cut;         /* a piece of it is gone */
    char line[JVM_LOG_LINE_MAX];
    char why[200]; /* the first thing that went wrong; "": nothing */
};

/* Nothing is read yet of the file at path, which need not be there. */
void jvm_log_init(struct jvm_log *log, const char *path);
/* Close its file; what was read stays. */
void jvm_log_close(struct jvm_log *log);

/* Add the lines that have come since, at most bytes_max of them at a time, to
 * sum. */
void jvm_log_read(struct jvm_log *log, uint64_t bytes_max, struct jvm_sum *sum);

#endif
