/* The rows of a comparison: Rally's in Rally's order, then ours, or the metrics
 * that were asked for. */
#ifndef PITWALL_RESULTS_COMPARE_LINE_H
#define PITWALL_RESULTS_COMPARE_LINE_H

#include "results/figures.h"

#define COMPARE_TASK_BYTES 72u

struct compare_line {
    const char *label;
    const struct metric *metric;
    char task[COMPARE_TASK_BYTES]; /* "": the whole trial */
    char unit[32];                 /* as shown */
    double factor;                 /* from the stored unit to it */
    bool per_mb;   /* a total that grows with what was ingested: told for each
                      MB of bodies, as fast and slow trials differ in it */
    bool declared; /* asked for, or what is asked for unless said */
};

struct compare_lines {
    struct compare_line *lines;
    size_t n;
};

/* metrics: names, comma separated, or NULL for the summary's rows, of each task
 * of attempt where it has several. ERR_NOTFOUND: no such metric. Owns:
 * compare_lines_fini. */
CHECKED enum err compare_lines_make(struct compare_lines *out,
                                    const char *metrics, struct db *db,
                                    int64_t attempt, struct why *why);
void compare_lines_fini(struct compare_lines *lines);

#endif
