/* Where a series of figures, a point per experiment, changes. Pure. */
#ifndef PITWALL_RESULTS_HISTORY_MARK_H
#define PITWALL_RESULTS_HISTORY_MARK_H

#include "results/stat_change.h"

enum history_kind { HISTORY_PLAIN, HISTORY_CHANGE, HISTORY_SUSPECT };

struct history_mark {
    enum history_kind kind;
    double ratio;     /* median after over median before */
    double p;         /* of a change */
    size_t confirmed; /* of a suspect: points since, itself included */
};

/* Marks [n] of x [n], positive, in order of time; n <= STAT_HISTORY_MAX. A
 * change is stat_changes'. A suspect is the first of fewer than
 * STAT_SEGMENT_MIN last points that all lie beyond every point since the last
 * change (of which there are STAT_SEGMENT_MIN) and whose median differs by more
 * than the margin. */
void history_marks(const double *x, size_t n, double margin_ratio,
                   struct history_mark *marks);

#endif
