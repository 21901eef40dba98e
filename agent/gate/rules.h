/* What a name, a uuid and a trial's spec may look like before the executor
 * sees them. Pure; every complaint names the field, the value and what would
 * be accepted. */
#ifndef PITWALL_AGENT_GATE_RULES_H
#define PITWALL_AGENT_GATE_RULES_H

#include "common/spec.h"

#define RULES_DRAIN_MAX_NS 5000000000ull /* contracts.md: drain <= 5 s */

/* A uuid as it becomes a directory's name: 36 characters, lower-case hex and
 * dashes at 8, 13, 18 and 23. what heads the complaint (ERR_PROTOCOL). */
CHECKED enum err rules_uuid(const char *what, const char *text,
                            struct why *why);

/* A name that may stand in a path or an argument: [A-Za-z0-9_.-], not empty,
 * no "..", no leading dash or dot. ERR_PROTOCOL. */
CHECKED enum err rules_name(const char *what, const char *text,
                            struct why *why);

/* "name=value" lines, names [a-z0-9_.]+ without "..", each at most once; an
 * empty text is no lines. ERR_PROTOCOL names the line. */
CHECKED enum err rules_lines(const char *what, const char *text,
                             struct why *why);

/* Everything about a spec that can be said without the machine. ERR_PROTOCOL
 * for shapes, ERR_RANGE for numbers. */
CHECKED enum err rules_spec(const struct trial_spec *spec, struct why *why);

#endif
