/* The rows of a trial's summary: Rally's in Rally's order, then what Rally has
 * none for, then what only a JVM has. */
#ifndef PITWALL_RESULTS_SHOW_LINE_H
#define PITWALL_RESULTS_SHOW_LINE_H

#include <stddef.h>

/* A row: the metric's words, unit and factor to it, decimals. Those of tasks
 * are repeated for each. */
struct show_line {
    const char *label, *metric, *unit;
    double factor;
    int decimals;
};

/* In the order of the summary; those of tasks come before the rest. */
enum show_group { SHOW_INDEX, SHOW_TASKS, SHOW_REST, SHOW_JVM, SHOW_GROUPS };

/* The group's rows [*n]; valid for ever. */
const struct show_line *show_lines(enum show_group group, size_t *n);

#endif
