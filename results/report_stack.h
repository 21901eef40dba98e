/* The matrix as tables for people: one per metric where there are columns to
 * tell apart, so that none is wider than a screen; what bounded the cells in
 * one of its own. */
#ifndef PITWALL_RESULTS_REPORT_STACK_H
#define PITWALL_RESULTS_REPORT_STACK_H

#include "results/report.h"
#include "results/sheet.h"

/* Add the tables and the legend. padded: the pieces of a column's figures stand
 * under each other by spaces (for a terminal). */
void report_stack(const struct report *report, bool padded,
                  struct sheet *sheet);

#endif
