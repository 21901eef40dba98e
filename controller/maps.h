/* What an agent says of its targets: which factors each of them maps, and in
 * what form. A factor is one of a target only where it is mapped. Pure. */
#ifndef PITWALL_CONTROLLER_MAPS_H
#define PITWALL_CONTROLLER_MAPS_H

#include "common/msg.h"
#include "controller/experiment.h"

/* Refuse a cell whose target does not map a factor of the experiment, or that
 * is not managed and so cannot have its link or kernel set; a level of another
 * form than the target takes. An older agent says nothing: then all is well.
 * ERR_INVALID: names the factor and what the target maps. */
CHECKED enum err maps_check(const struct msg_hello_reply *agent,
                            const struct experiment *ex,
                            const struct trial_spec *spec, struct why *why);

/* Why the agent cannot start a target that it knows, into buf (returned); "":
 * it does not say. */
const char *maps_missing(const struct msg_hello_reply *agent,
                         const char *target, char *buf, size_t size);

/* The targets with what they map, "nginx (target.workers), own (unmanaged)",
 * those that cannot be started left out, into buf (returned). */
const char *maps_show(const struct msg_hello_reply *agent, char *buf,
                      size_t size);

#endif
