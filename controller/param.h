/* The parameters of target and load that can be factors (target.X,
 * load.X): their names and the form of their values. */
#ifndef PITWALL_CONTROLLER_PARAM_H
#define PITWALL_CONTROLLER_PARAM_H

#include "controller/setup.h"

/* target.NAME: any name, since other targets than pitwall have settings of
 * their own. ERR_INVALID: a control character; ERR_RANGE: too long. */
CHECKED enum err param_target(const char *name, const char *value,
                              struct trial_spec *spec, struct why *why);

/* Those of spec against what the target pitwall has: initial_buffer, young,
 * min_tlab (sizes), reads_per_wakeup, max_components, threads, bulk_threads,
 * bulk_queue, parse_work (whole numbers), body_copy, netty_rules (on, off),
 * slow (a time or a share).
 * ERR_INVALID: another name, with those that exist, or a value of another form;
 * ERR_RANGE. */
CHECKED enum err param_check(const struct trial_spec *spec, struct why *why);

/* load.NAME: clients, threads, requests_per_connection (whole numbers), rate
 * ("100/s"), arrival (fixed, poisson), engine (raw, curl), memory (a size).
 * Errors as param_target. */
CHECKED enum err param_load(const char *name, const char *value,
                            struct trial_spec *spec, struct why *why);

#endif
