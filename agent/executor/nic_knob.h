/* What can be set on a real interface, each as a name and a text, so that the
 * journal can keep it: "mtu", "feature.NAME" (on, off; the kernel's strings)
 * and "coalesce.NAME" (a number; adaptive-rx and adaptive-tx: on, off). Works
 * on the calling process's network namespace. */
#ifndef PITWALL_AGENT_EXECUTOR_NIC_KNOB_H
#define PITWALL_AGENT_EXECUTOR_NIC_KNOB_H

#include "agent/executor/change.h"

/* Read or write (once, as it is) the knob of dev.
 * Errors  ERR_NOTFOUND: no such interface or feature; ERR_INVALID: no such
 *         knob or value, with what is accepted; ERR_UNSUPPORTED: the driver
 *         does not have it, or cannot switch it. */
CHECKED enum err nic_knob_get(const char *dev, const char *knob,
                              char value[CHANGE_VALUE_MAX], struct why *why);
CHECKED enum err nic_knob_put(const char *dev, const char *knob,
                              const char *value, struct why *why);

#endif
