/* Which metrics a report shows: by name, or by the name of a set that people
 * are used to. */
#ifndef PITWALL_RESULTS_REPORT_METRICS_H
#define PITWALL_RESULTS_REPORT_METRICS_H

#include "results/metric.h"

/* Add those of names ("throughput,allocation", NULL: those of the set
 * "summary") to out [max], in order and each once; *n: how many there are.
 * Errors  ERR_NOTFOUND: no such metric nor set; ERR_USAGE: more than max. */
CHECKED enum err report_metrics(const char *names, const struct metric **out,
                                size_t max, size_t *n, struct why *why);

#endif
