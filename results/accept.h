/* What of disturbances a trial may have and still be valid: a limit for each
 * rule that has one, fixed before an experiment runs and stored with it. */
#ifndef PITWALL_RESULTS_ACCEPT_H
#define PITWALL_RESULTS_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Name, what is accepted where nothing is said, unit, what it bounds. */
#define ACCEPTS(X)                                                             \
    X(FOREIGN_CPU, "foreign_cpu", 0.35, "cores",                               \
      "CPU spent on the machine by others than the trial's processes")         \
    X(STEAL_CPU, "steal_cpu", 0.1, "cores", "CPU that a hypervisor took")      \
    X(THROTTLED, "throttled", 0.01, "of the window",                           \
      "time that a quota above the agent kept its processes off the CPUs")     \
    X(LINK_ERRORS, "link_errors", 0, "packets",                                \
      "packets damaged on the trial's interfaces")                             \
    X(DRIFT, "drift", 0.2, "of the first half",                                \
      "change of throughput from the window's first half to its second")

enum accept_rule {
#define X(name, word, value, unit, text) ACCEPT_##name,
    ACCEPTS(X)
#undef X
        ACCEPT_LAST
};

struct accept {
    double limit[ACCEPT_LAST]; /* infinite: the rule is off */
};

/* The values of the table; and all off. */
void accept_init(struct accept *accept);
void accept_off(struct accept *accept);

/* Word of a rule; unit and meaning; valid for ever. */
const char *accept_name(enum accept_rule rule);
const char *accept_unit(enum accept_rule rule);
const char *accept_text(enum accept_rule rule);

/* Set a rule by its word: a number from 0 on, or "off". "all" with "off" is
 * every rule. ERR_INVALID names the word or value and what is accepted. */
CHECKED enum err accept_set(struct accept *accept, const char *name,
                            const char *value, struct why *why);

#endif
