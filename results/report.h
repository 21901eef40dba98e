/* One experiment's matrix as reports show it: rows and columns of cells, and
 * what each group of trials came to under each metric. What the writers of
 * tables (report_flat.c, report_stack.c) and the page stand on. */
#ifndef PITWALL_RESULTS_REPORT_H
#define PITWALL_RESULTS_REPORT_H

#include "results/answer.h"
#include "results/bound_count.h"
#include "results/centre.h"
#include "results/matrix.h"
#include "results/pivot.h"

#define REPORT_METRICS_MAX 64u

/* How the trials of a group ended, and the centre of those that count. */
struct report_entry {
    size_t n_trials, ends[MATRIX_ENDS];
    size_t n_driver; /* of the values: bounded by the driver */
    struct centre centre;
};

struct report {
    struct matrix matrix;
    struct pivot pivot;
    bool metric_rows; /* metrics go down, not across */
    const struct metric *metrics[REPORT_METRICS_MAX];
    double *values[REPORT_METRICS_MAX]; /* [n_trials] each */
    size_t n_metrics;
    struct report_entry *entries; /* [rows][cols][n_metrics] */
    struct bound_count *bounds;   /* [rows][cols] */
};

/* Read the experiment and lay it out as options say.
 * Errors  ERR_NOTFOUND, ERR_USAGE: a word of the options, by name.
 * Owns    report_fini, also after a failure. */
CHECKED enum err report_load(struct report *out, struct db *db,
                             int64_t experiment,
                             const struct answer_report *options,
                             struct why *why);
void report_fini(struct report *report);

/* The entry of a row, column and metric, all from 0. */
const struct report_entry *report_at(const struct report *report, size_t row,
                                     size_t col, size_t metric);

/* "eth200" or "eth200 cubic": the levels of row or column group i. */
const char *report_label(const struct report *report,
                         const struct pivot_axis *axis, size_t i, char *buf,
                         size_t size);

/* Add what must be known of all figures: factors of one level, factors that
 * are averaged over, what a centre is. */
void report_notes(const struct report *report, struct grid *grid);

/* As one grid for machines, a column group per level and metric: raw values
 * where there is a centre, else words. */
void report_flat(const struct report *report, struct grid *grid);

/* Trials that ended otherwise leave no centre, one of the survivors alone
 * would flatter the cell: "oom 1/3", "failed 2/3", "invalid 3/3", "-" for
 * none. False: there is a centre. */
bool report_ended(const struct report_entry *entry, char *buf, size_t size);

#endif
