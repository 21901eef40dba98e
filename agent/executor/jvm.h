/* What the virtual machine of a target with "jvm": true is told: to log its
 * collections, and to make a flight recording of allocations, collections and
 * compilations, both in its working folder, where the watch reads them. */
#ifndef PITWALL_AGENT_EXECUTOR_JVM_H
#define PITWALL_AGENT_EXECUTOR_JVM_H

#include "agent/executor/command.h"
#include "agent/executor/target.h"
#include "agent/executor/template.h"

#define JVM_SETTINGS_NAME "pitwall.jfc"
#define JVM_OPTIONS       "JAVA_TOOL_OPTIONS"

/* What JVM_SETTINGS_NAME holds: the events to record. */
extern const char jvm_settings[];

/* Whether the definition says itself where the options go ("{{jvm}}"). */
bool jvm_placed(const struct target_def *def);

/* Check the definition's words about its JVM against each other. ERR_INVALID,
 * with the place. */
CHECKED enum err jvm_check(const struct target_def *def, struct why *why);

/* Append the options for a target that works in folder data, each an argument
 * of its own. ERR_UNSUPPORTED: a folder that they cannot name; ERR_RANGE. */
CHECKED enum err jvm_put(struct command *c, const char *data, struct why *why);

/* The same in one text, with blanks between. */
CHECKED enum err jvm_join(char buf[TEMPLATE_VALUE_MAX], const char *data,
                          struct why *why);

#endif
