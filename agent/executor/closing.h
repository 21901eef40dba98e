/* What is found when an attempt is over, as one JSON text for its spool: how
 * the machine is against before, settings that did not stay as they were set,
 * what the control groups have seen, what kept processes off the CPUs. */
#ifndef PITWALL_AGENT_EXECUTOR_CLOSING_H
#define PITWALL_AGENT_EXECUTOR_CLOSING_H

#include "agent/executor/attempt_groups.h"
#include "agent/executor/line.h"
#include "agent/executor/setup.h"
#include "agent/executor/snapshot.h"
#include "agent/executor/throttle.h"

#define CLOSING_TEXTS    8u /* of each list; more are counted */
#define CLOSING_TEXT_MAX 300u

struct closing_list {
    char text[CLOSING_TEXTS][CLOSING_TEXT_MAX];
    unsigned n; /* also those that found no place */
};

/* Large: keep it in heap memory. Start zeroed, with before SNAPSHOT_NONE. */
struct closing {
    struct snapshot before;
    struct throttle throttle; /* before */
    bool begun;
    struct closing_list changed;
};

/* Take what holds before anything is made. Errors as snapshot_take. */
CHECKED enum err closing_begin(struct closing *c, const struct config *config,
                               const struct groups *groups, struct why *why);

/* While the cages are there: note the settings that are not as they were set;
 * cage is the target's, or load's. */
void closing_settings(struct closing *c, const struct setup *setup,
                      const struct cage *cage);

/* When everything is undone: print all of it into buf (16 KiB always do) and
 * free what was begun. Not begun: "". */
void closing_print(struct closing *c, const struct setup *setup,
                   const struct attempt_groups *seen,
                   const struct groups *groups, char *buf, size_t size);

#endif
