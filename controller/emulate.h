/* Ethernet emulated where there is one machine (--emulate-ethernet). */
#ifndef PITWALL_CONTROLLER_EMULATE_H
#define PITWALL_CONTROLLER_EMULATE_H

#include "controller/experiment.h"

/* Put an emulation in the place of each level ethernet of link: a veth, which
 * says so in its value and in its label ("emulated"; of a label of one's own
 * "LABEL-emulated"). ERR_INVALID: there is none; as experiment_axis. */
CHECKED enum err emulate_ethernet(struct experiment *ex, struct why *why);

#endif
