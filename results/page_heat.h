/* The matrix in a page: a table per metric whose cells are the darker the more
 * they have, and one of what bounded them. */
#ifndef PITWALL_RESULTS_PAGE_HEAT_H
#define PITWALL_RESULTS_PAGE_HEAT_H

#include <stdio.h>

#include "results/report.h"

/* Write the tables of all metrics that have a figure. */
void page_heat(FILE *out, const struct report *report);

/* Write what bounded the cells, and in how many trials. */
void page_bounds(FILE *out, const struct report *report);

/* The step of a value between the least and the most of its table, 1 to
 * PAGE_HEAT_STEPS by its logarithm; a range of less than a tenth is not spread
 * over all of them, since it is seldom more than noise. 0: not above 0. */
#define PAGE_HEAT_STEPS 7u
unsigned page_heat_step(double value, double least, double most);

#endif
