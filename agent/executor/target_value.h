/* The values of a target's factors: which it maps, in what form they are given
 * and in which units it takes them. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_VALUE_H
#define PITWALL_AGENT_EXECUTOR_TARGET_VALUE_H

#include "agent/executor/target.h"
#include "agent/executor/template.h"
#include "common/spec.h"

/* Whether factor can be asked for in unit: "value", "bytes", "kb", "mb"; of
 * "predictor" also "min", "initial", "max". */
bool target_value_unit(const char *factor, const char *unit);

/* Put the value of factor, as spec or the definition's default has it, into
 * buf, in unit. ERR_INVALID: it has none such ("adaptive:1k-2k" in bytes, 1000
 * bytes in kb), naming the factor. */
CHECKED enum err target_value(const struct target_def *def,
                              const struct trial_spec *spec, const char *factor,
                              const char *unit, char buf[TEMPLATE_VALUE_MAX],
                              struct why *why);

/* Whether a factor has a value in every trial; in trials of spec. */
bool target_has_value(const struct target_def *def, const char *factor);
bool target_value_given(const struct target_def *def,
                        const struct trial_spec *spec, const char *factor);

/* Each target.X of spec must be mapped by def and have the form that it says.
 * ERR_UNSUPPORTED, ERR_INVALID. */
CHECKED enum err target_value_check(const struct target_def *def,
                                    const struct trial_spec *spec,
                                    struct why *why);

/* Read a template file of def's folder, whole. Owns: *out, for free. */
CHECKED enum err target_value_file(const struct target_def *def,
                                   const char *name, char **out,
                                   struct why *why);

#endif
