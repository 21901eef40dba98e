/* The machine made alike before each attempt: dirty pages of the state folder
 * written, and, where the configuration says so, the page cache dropped, and
 * the processors' governor and turbo, transparent huge pages, swappiness and
 * NUMA balancing set for the attempt's time, under the journal. Swap itself is
 * left as it is: taking it away can fail half done, and an agent that dies
 * then would leave the machine without. */
#ifndef PITWALL_AGENT_EXECUTOR_MACHINE_H
#define PITWALL_AGENT_EXECUTOR_MACHINE_H

#include "agent/executor/config.h"
#include "agent/executor/host.h"

/* What the configuration asks for is either in force afterwards or an error
 * that names it: ERR_NOTFOUND where the machine has no such setting,
 * ERR_PERMISSION where we are not root, others as host_set. state_fd is a
 * folder of the file system that attempts write to. */
CHECKED enum err machine_settle(const struct config *config, struct host *host,
                                int state_fd, struct why *why);

#endif
