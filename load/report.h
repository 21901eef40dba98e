/* A course that is over as records (common/record.h), for the load stream. */
#ifndef PITWALL_LOAD_REPORT_H
#define PITWALL_LOAD_REPORT_H

#include "common/record.h"
#include "load/course.h"

/* Takes one encoded record; false: it was dropped. */
typedef bool report_put(void *ctx, const void *data, size_t len);

/* How one task done once ended, as a fact of the load side ("task.refresh":
 * "200 in 1.2 ms"). ERR_NOMEM. */
CHECKED enum err report_once(const struct plan_task *task,
                             const struct once_result *result, report_put *put,
                             void *ctx, struct why *why);

/* Each task of each measured step with its window's histograms and seconds,
 * what was sent as facts ("load.provider", "corpus.NAME.sha256"), then the
 * driver, which counts the records that were dropped, and of the first step how
 * much of its time each thread had a CPU ("driver.threads"). Tasks that the
 * track hides only if something failed. ERR_NOMEM. */
CHECKED enum err report_course(const struct course *c, report_put *put,
                               void *ctx, struct why *why);

#endif
