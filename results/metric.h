/* The metrics: what each figure is called, what it means, and how it follows
 * from a tally. The only place that derives figures; once, when an attempt is
 * stored. */
#ifndef PITWALL_RESULTS_METRIC_H
#define PITWALL_RESULTS_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "results/tally.h"

/* What is good. NEITHER: a description, compared but never judged. */
enum metric_direction { METRIC_HIGHER, METRIC_LOWER, METRIC_NEITHER };

/* How values are averaged and compared: by ratio (geometric mean), by
 * difference (may be 0), or not at all (equal or not). */
enum metric_kind { METRIC_RATIO, METRIC_ABS, METRIC_EXACT };

/* Whose figure: of each task and of the trial, or of the trial alone. */
enum metric_scope { METRIC_TASKS, METRIC_TRIAL };

struct metric {
    const char *name, *unit; /* of the stored value */
    enum metric_direction direction;
    enum metric_kind kind;
    enum metric_scope scope;
    const char *source, *definition;
    /* Not finite: not known. task: the sum over tasks, or one of them. */
    double (*derive)(const struct tally *tally, const struct tally_task *task,
                     int arg);
    int arg;
};

/* The groups that the list is put together from, in order. */
struct metric_group {
    const struct metric *rows;
    size_t n;
};
extern const struct metric_group metric_load, metric_target, metric_index,
    metric_machine, metric_limit, metric_foreign, metric_jvm;

/* Metric i in the order of `pitwall metrics`, NULL past the last; by name,
 * NULL when there is none. */
const struct metric *metric_at(size_t i);
const struct metric *metric_find(const char *name);

/* Words for people: "higher", "ratio". */
const char *metric_direction_name(enum metric_direction direction);
const char *metric_kind_name(enum metric_kind kind);

/* The unit that tables show ("ms" for a metric in ns) and the factor to it. */
const char *metric_unit(const struct metric *metric, double *factor);

/* Print a shown value into buf (returned, 32 bytes): four significant digits,
 * whole numbers whole. */
const char *metric_show(double value, char *buf, size_t size);

#endif
