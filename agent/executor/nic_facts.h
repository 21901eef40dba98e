/* What an interface is, as its driver and the kernel tell it: the facts of a
 * trial's link. What a driver does not have is said to be not supported. */
#ifndef PITWALL_AGENT_EXECUTOR_NIC_FACTS_H
#define PITWALL_AGENT_EXECUTOR_NIC_FACTS_H

#include "agent/executor/cage.h"
#include "agent/executor/notes.h"

/* Add the facts of dev, each named interface.X: dev, mtu, speed, duplex,
 * driver, offloads (of ethtool.h, those that are on), features (all that are
 * on), rings, coalesce, rps, irq. root is before the paths below /sys and
 * /proc: "" but in tests. The interface is that of the process's network
 * namespace, and /sys should be too. */
void nic_facts_add(struct notes *notes, const char *dev, const char *root);

/* The same of an interface in a cage; NULL: of the agent's own network. */
CHECKED enum err nic_facts_of(const struct cage *cage, const char *dev,
                              struct notes *notes, struct why *why);

#endif
