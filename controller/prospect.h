/* What a plan's blocks can show: by the noise that its bench showed before. */
#ifndef PITWALL_CONTROLLER_PROSPECT_H
#define PITWALL_CONTROLLER_PROSPECT_H

#include "controller/trials.h"
#include "results/grid.h"

/* The plan as far as that matters. */
struct prospect {
    const struct trials *trials;
    const char *bench; /* NULL: not known yet */
    const char *db;    /* file of results; it may not be there */
    const char *metric;
};

/* Add it as notes. What cannot be read is told and is no error. */
void prospect_note(const struct prospect *prospect, struct grid *grid);

#endif
