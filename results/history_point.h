/* The points of all cells' histories, read from a store. */
#ifndef PITWALL_RESULTS_HISTORY_POINT_H
#define PITWALL_RESULTS_HISTORY_POINT_H

#include "results/db.h"
#include "results/metric.h"
#include "results/names.h"

struct history_point {
    size_t cell, print; /* into cells, prints */
    int64_t experiment;
    char started[24];
    size_t n;         /* trials */
    double value;     /* their centre */
    double low, high; /* 95 % interval of it; NaN below two trials */
};

struct history_points {
    struct names cells;  /* "geonames, append, pitwall: heap=1g,link=lo" */
    struct names prints; /* "kernel=6.1\ncpus=2\n...": machine and build */
    struct history_point *points; /* [n] by the time of their experiments */
    size_t n;
};

/* Read those of cells that have what where says. Owns: history_points_fini (a
 * zeroed one is fine), also on failure.
 * Errors  ERR_USAGE: where is not name=level,...; ERR_CORRUPT. */
CHECKED enum err history_points(struct history_points *out, struct db *db,
                                const struct metric *metric, const char *where,
                                struct why *why);
void history_points_fini(struct history_points *points);

#endif
