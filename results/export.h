/* Giving an experiment out in forms that others read. Trials that measure, by
 * their chosen attempts; no canary, no superseded block. */
#ifndef PITWALL_RESULTS_EXPORT_H
#define PITWALL_RESULTS_EXPORT_H

#include <stdio.h>

#include "results/store.h"

/* In long form, a row per figure: block, the factors, outcome, invalid, task,
 * metric, value; a trial without figures has one row. import reads it.
 * Errors  ERR_CORRUPT: a figure fails its checksum. Those of writing stay in
 *         out. */
CHECKED enum err export_csv(struct store *store, int64_t experiment, FILE *out,
                            struct why *why);

/* As one JSON document: plan, machines, notes; each trial with its figures,
 * verdicts and seconds. Errors as export_csv. */
CHECKED enum err export_json(struct store *store, int64_t experiment, FILE *out,
                             struct why *why);

/* Told of one file, whose name and data live until it returns. */
typedef enum err export_take(void *ctx, const char *name, const char *data,
                             size_t len, struct why *why);

/* A log of HdrHistogram for each trial and task, "3-17-index.hdr": latency and
 * service time second by second from the window's begin, else of the whole
 * window. *files: how many. Errors: ERR_CORRUPT; take's own. */
CHECKED enum err export_hdr(struct store *store, int64_t experiment,
                            export_take *take, void *ctx, size_t *files,
                            struct why *why);

#endif
