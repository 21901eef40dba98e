/* A finished session for people and for programs. */
#ifndef PITWALL_LOAD_SUMMARY_H
#define PITWALL_LOAD_SUMMARY_H

#include <stdio.h>

#include "load/session.h"

/* A readable summary; percentiles by the rules of common/measure.h. */
void summary_print(FILE *to, const struct session *s, const struct job *job);

/* The same as one JSON object, every number unrounded, times in ns. */
void summary_print_json(FILE *to, const struct session *s,
                        const struct job *job);

#endif
