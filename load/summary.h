/* A course that is over, for people and for programs. */
#ifndef PITWALL_LOAD_SUMMARY_H
#define PITWALL_LOAD_SUMMARY_H

#include <stdio.h>

#include "load/course.h"

/* A readable summary; percentiles by the rules of common/measure.h. */
void summary_print(FILE *to, const struct course *c);

/* The same as one JSON object, every number unrounded, times in ns. */
void summary_print_json(FILE *to, const struct course *c);

#endif
