/* The machine's own network interfaces, for link ethernet: which one the target
 * listens on, which one leads to it. Reads only. */
#ifndef PITWALL_AGENT_EXECUTOR_NIC_H
#define PITWALL_AGENT_EXECUTOR_NIC_H

#include "agent/executor/link.h"

/* Where a target of this machine listens for load from others: the first IPv4
 * address of interface; without one ("") the address in the URL that the agent
 * listens on, if that is one of an interface other than lo. ERR_NOTFOUND: there
 * is none, and how to name one. Fills dev and address. */
CHECKED enum err nic_find(const char *interface, const char *listen,
                          struct link_end *out, struct why *why);

/* The interface and own address that lead to an IPv4 address.
 * Errors  ERR_INVALID: no such address; ERR_UNSUPPORTED: it is this machine's
 *         own, so nothing would cross a network; ERR_NOTFOUND: no route. */
CHECKED enum err nic_toward(const char *address, struct link_end *out,
                            struct why *why);

/* Speed of dev as its driver tells it; 0: it does not. */
uint32_t nic_speed_mbit(const char *dev);

#endif
