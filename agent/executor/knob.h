/* One setting of the machine by kind and name, read and written as text: the
 * one place that knows what each kind of change is made of. */
#ifndef PITWALL_AGENT_EXECUTOR_KNOB_H
#define PITWALL_AGENT_EXECUTOR_KNOB_H

#include "agent/executor/change.h"

/* Read it; texts compare as values. ERR_NOTFOUND: the machine has none (an
 * interface that is gone); others by name. */
CHECKED enum err knob_get(enum change_kind kind, const char *target,
                          char value[CHANGE_VALUE_MAX], struct why *why);

/* Write it once. What stands afterwards is for the caller to read. */
CHECKED enum err knob_put(enum change_kind kind, const char *target,
                          const char *value, struct why *why);

#endif
