/* From a target's definition and a trial's spec to what is started: arguments,
 * variables, files. Pure, but for writing the files. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_MAKE_H
#define PITWALL_AGENT_EXECUTOR_TARGET_MAKE_H

#include "agent/executor/command.h"
#include "agent/executor/target.h"

/* Where a trial takes place. */
struct target_ground {
    const char *address, *data; /* data: its working folder */
    unsigned port, cpus;
};

/* Render def's command line and variables for spec. A factor of the spec that
 * def maps takes the form that it says.
 * Errors  ERR_UNSUPPORTED: target.X that it does not map; ERR_INVALID: a value
 *         of another form; ERR_RANGE: too long. */
CHECKED enum err target_make(struct command *argv, struct command *env,
                             const struct target_def *def,
                             const struct trial_spec *spec,
                             const struct target_ground *ground,
                             struct why *why);

/* Of a build of pitwall-target, which has its command line already: append
 * what the definition adds. */
CHECKED enum err target_extend(struct command *argv, struct command *env,
                               const struct target_def *def,
                               const struct trial_spec *spec,
                               const struct target_ground *ground,
                               struct why *why);

/* Write def's files, rendered, into folder dirfd, and the definition itself as
 * TARGET_PRINTED. */
CHECKED enum err target_write_files(int dirfd, const struct target_def *def,
                                    const struct trial_spec *spec,
                                    const struct target_ground *ground,
                                    struct why *why);

/* Is name ("heap", "target.x") among what def maps? */
bool target_maps_factor(const struct target_def *def, const char *name);

/* Walk over what def maps: the i-th factor's name and form ("": any text) into
 * the buffers; false at the end. */
bool target_factor(const struct target_def *def, size_t i, char *name,
                   size_t name_size, char *form, size_t form_size);

/* Check one text's names against what def knows; mapping: the factor whose
 * arguments it is of, NULL: none. ERR_INVALID. */
CHECKED enum err target_check_text(const struct target_def *def,
                                   const char *mapping, const char *text,
                                   struct why *why);

#endif
