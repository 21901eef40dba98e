/* An attempt's states, outcomes, bounds and places of failure: one list each
 * for SQL, enum and wire alike (contracts.md, "A trial's life").
 *
 *   planned -> preparing -> prepared -> armed -> running -> sealed -> stored
 *   from any of them: stopping -> sealed */
#ifndef PITWALL_COMMON_STATE_H
#define PITWALL_COMMON_STATE_H

#include "common/err.h"

#define ATTEMPT_STATES(X)                                                      \
    X(PLANNED, "planned")                                                      \
    X(PREPARING, "preparing")                                                  \
    X(PREPARED, "prepared")                                                    \
    X(ARMED, "armed")                                                          \
    X(RUNNING, "running")                                                      \
    X(STOPPING, "stopping")                                                    \
    X(SEALED, "sealed")                                                        \
    X(STORED, "stored")

#define ATTEMPT_OUTCOMES(X)                                                    \
    X(NONE, "")                                                                \
    X(OK, "ok")                                                                \
    X(OOM, "oom")                                                              \
    X(FAILED, "failed")                                                        \
    X(ABORTED, "aborted")

#define ATTEMPT_BOUNDS(X)                                                      \
    X(UNCLEAR, "unclear")                                                      \
    X(DRIVER, "driver")                                                        \
    X(LINK, "link")                                                            \
    X(RWND, "rwnd")                                                            \
    X(TARGET_CPU, "target-cpu")                                                \
    X(TARGET_GC, "target-gc")                                                  \
    X(TARGET_QUEUE, "target-queue")                                            \
    X(TARGET_DISK, "target-disk")                                              \
    X(RATE, "rate")

enum attempt_state {
#define X(name, text) ATTEMPT_##name,
    ATTEMPT_STATES(X)
#undef X
};
enum attempt_outcome {
#define X(name, text) OUTCOME_##name,
    ATTEMPT_OUTCOMES(X)
#undef X
};
enum attempt_bound {
#define X(name, text) BOUND_##name,
    ATTEMPT_BOUNDS(X)
#undef X
};

#define X(name, text) +1
enum { ATTEMPT_N_BOUNDS = 0 ATTEMPT_BOUNDS(X) };
#undef X

/* The words; never NULL. */
const char *state_name(enum attempt_state s);
const char *outcome_name(enum attempt_outcome o);
const char *bound_name(enum attempt_bound b);

/* Words back to numbers; an unknown word: ERR_PROTOCOL naming it. */
CHECKED enum err state_parse(const char *word, enum attempt_state *s,
                             struct why *why);
CHECKED enum err outcome_parse(const char *word, enum attempt_outcome *o,
                               struct why *why);
CHECKED enum err bound_parse(const char *word, enum attempt_bound *b,
                             struct why *why);

#endif
