/* Target definitions as they are written: checked whole when the agent starts,
 * so that a mistake is found with its file and line before any trial. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_READ_H
#define PITWALL_AGENT_EXECUTOR_TARGET_READ_H

#include "agent/executor/target.h"

#define TARGET_FILE_MAX 65536u

/* Read the definition v, which stands in a file of folder, and add it.
 * Errors  ERR_INVALID: file, line, key, and what is accepted. A program that is
 *         not installed is no error: it is remembered with the definition. */
CHECKED enum err target_read(struct targets *targets, const char *name,
                             const char *folder, const struct jv *v,
                             struct why *why);

/* The same for each folder/NAME.json, which begin with "version": 1; a folder
 * that is not there has none. */
CHECKED enum err target_read_folder(struct targets *targets, const char *folder,
                                    struct why *why);

#endif
