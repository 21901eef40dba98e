/* The log format of HdrHistogram (version 1.3): what its tools and plotters
 * read. Our histograms have the buckets of one of three significant digits
 * from 1, so nothing is lost on the way. */
#ifndef PITWALL_LOAD_HDR_LOG_H
#define PITWALL_LOAD_HDR_LOG_H

#include <stdio.h>

#include "load/course.h"

/* A histogram as the log has it: "V2 compressed", base64. ERR_NOMEM.
 * Owns: *text is the caller's to free. */
CHECKED enum err hdr_log_encode(const struct hist *h, char **text,
                                struct why *why);

/* One line for each second, task and kind ("Tag=TASK.latency",
 * "Tag=TASK.service"), values in ns, largest values in ms, as is the custom;
 * seconds by completion, counted from the first window's begin, whose wall time
 * is BaseTime. Blanks and commas of a task's name become underscores.
 * Errors  ERR_NOMEM; those of writing to the file called name. */
CHECKED enum err hdr_log_write(FILE *to, const char *name,
                               const struct course *c, struct why *why);

#endif
