/* The settings of an attempt put in force: the kernel's in the cage where they
 * are a network namespace's, else on the machine, through the journal; those of
 * a real interface always so. */
#ifndef PITWALL_AGENT_EXECUTOR_SETTINGS_H
#define PITWALL_AGENT_EXECUTOR_SETTINGS_H

#include "agent/executor/host.h"
#include "agent/executor/setup.h"

/* Set the interface of link ethernet as setup->nics says, read it back into
 * them, and wait until it carries again, at most 5 s. Before link_make, which
 * reads what is in force.
 * Errors  ERR_PERMISSION: the way to the other side is by an interface that
 *         trials may not set; others as host_set. */
CHECKED enum err settings_nic(struct setup *setup, struct host *host,
                              struct why *why);

/* Set setup->sysctls before the target's listen(): sockets take their buffers
 * from what holds then. All are read back into setup; those of the machine are
 * marked. ERR_UNSUPPORTED: it is the machine's, and we are not root; others as
 * host_set and sysctl_set. */
CHECKED enum err settings_kernel(struct setup *setup, const struct cage *cage,
                                 struct host *host, struct why *why);

/* Tell each setting of the kernel and the interface that is not as it was read
 * back when it was set: somebody else has changed it since. */
typedef void settings_tell(void *ctx, const char *text);
void settings_changed(const struct setup *setup, const struct cage *cage,
                      settings_tell *tell, void *ctx);

#endif
