/* A course's latencies as a log of HdrHistogram, see common/hdr.h. */
#ifndef PITWALL_LOAD_HDR_LOG_H
#define PITWALL_LOAD_HDR_LOG_H

#include <stdio.h>

#include "load/course.h"

/* One line for each second, task and kind ("Tag=TASK.latency",
 * "Tag=TASK.service"), values in ns, largest values in ms, as is the custom;
 * seconds by completion, counted from the first window's begin, whose wall time
 * is BaseTime. Blanks and commas of a task's name become underscores.
 * Errors  ERR_NOMEM; those of writing to the file called name. */
CHECKED enum err hdr_log_write(FILE *to, const char *name,
                               const struct course *c, struct why *why);

#endif
