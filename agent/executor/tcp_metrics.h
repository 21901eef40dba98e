/* What the kernel remembers of TCP connections to an address (round trips,
 * thresholds, windows) and would begin the next ones with: taken away between
 * trials over ethernet, whose machines keep their network. */
#ifndef PITWALL_AGENT_EXECUTOR_TCP_METRICS_H
#define PITWALL_AGENT_EXECUTOR_TCP_METRICS_H

#include "common/err.h"

/* Forget what is remembered in the process's network namespace of connections
 * from the IPv4 address own to peer ("": to any); *n: entries that went. All
 * others stay.
 * Errors  ERR_PERMISSION: it takes root; ERR_UNSUPPORTED: a kernel without;
 *         ERR_INVALID: no address. */
CHECKED enum err tcp_metrics_forget(const char *own, const char *peer,
                                    unsigned *n, struct why *why);

#endif
