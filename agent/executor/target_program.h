/* The program of a target's definition, and the files that it does not do
 * without: where they are on this machine, and whether. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_PROGRAM_H
#define PITWALL_AGENT_EXECUTOR_TARGET_PROGRAM_H

#include "agent/executor/target.h"

/* Find argv's first, as it stands, from the definition's folder, or along PATH
 * and where servers are, into def->program; then what "needs" lists. Anything
 * that is not there is remembered with the definition, which is no error.
 * ERR_INVALID: no program is named; "needs" is no list of files. */
CHECKED enum err target_program_find(struct targets *targets,
                                     struct target_def *def, struct why *why);

/* The path of the i-th file that def needs into path; false at the end. */
bool target_program_need(const struct target_def *def, size_t i, char *path,
                         size_t size);

#endif
