/* A file of /proc that is read again and again: opened once, read by pread, no
 * memory of its own. */
#ifndef PITWALL_AGENT_WATCH_SOURCE_H
#define PITWALL_AGENT_WATCH_SOURCE_H

#include <stddef.h>

/* The first error of opening or reading is kept for the facts. */
struct source {
    const char *path; /* borrowed for ever */
    int fd;           /* -1: could not be opened */
    int error;        /* errno, 0: none */
};

/* Open path, which must outlive the source. A failure shows in error. */
void source_open(struct source *source, const char *path);
void source_close(struct source *source);

/* Read it whole, at most size bytes, into buf; how many there were, 0 when it
 * could not be read. */
size_t source_read(struct source *source, char *buf, size_t size);

#endif
