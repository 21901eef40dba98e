/* What a cell is there for. Only what measures enters the answers; the others
 * repeat a cell, hidden: a canary to show the lab's own noise, a profile under
 * telemetry that costs time (an extra trial). */
#ifndef PITWALL_RESULTS_PURPOSE_H
#define PITWALL_RESULTS_PURPOSE_H

#include "common/err.h"

#define PURPOSES(X)                                                            \
    X(MEASURE, "measure")                                                      \
    X(CANARY, "canary")                                                        \
    X(PROFILE, "profile")

enum purpose {
#define X(name, word) PURPOSE_##name,
    PURPOSES(X)
#undef X
        PURPOSE_LAST
};

/* The word in cell.purpose; valid for ever. */
const char *purpose_name(enum purpose purpose);

/* ERR_CORRUPT: no such word. */
CHECKED enum err purpose_parse(const char *word, enum purpose *out,
                               struct why *why);

#endif
