/* The grammar of kernel settings as levels: rmem, congestion, pin, sysctl.X,
 * limit.X. Each parses one level into the spec; errors name the value and what
 * is accepted (ERR_INVALID, ERR_RANGE). */
#ifndef PITWALL_CONTROLLER_KERNEL_H
#define PITWALL_CONTROLLER_KERNEL_H

#include "controller/setup.h"

#define KERNEL_RMEM_MIN 4096u /* below it no segment fits */
#define KERNEL_RMEM_MAX (256u << 20)

/* "default" (the machine's own: three zeros), "low" = 10240 three times,
 * "high" = 16777216 three times, or "min:default:max" in ascending order
 * within 4k..256m. */
CHECKED enum err kernel_rmem(const char *value, struct trial_spec *spec,
                             struct why *why);

/* A congestion control's name as the kernel spells it: "cubic", "bbr". */
CHECKED enum err kernel_congestion(const char *value, struct trial_spec *spec,
                                   struct why *why);

/* "auto", "none" or CPUs: "0-1+3" ('+' joins, since ',' parts levels). */
CHECKED enum err kernel_pin(const char *value, struct trial_spec *spec,
                            struct why *why);

/* sysctl.NAME: a kernel setting for the target, other than tcp_rmem, which is
 * the factor rmem; whether a trial may set it is for the agent's configuration
 * to say. tcp_wmem takes three numbers as rmem does. */
CHECKED enum err kernel_sysctl(const char *name, const char *value,
                               struct trial_spec *spec, struct why *why);

/* limit.memory, limit.cpus, limit.pids: what the target may take of its
 * machine: a size from 64k, processors from 0.01, processes and threads. */
CHECKED enum err kernel_limit(const char *name, const char *value,
                              struct trial_spec *spec, struct why *why);

#endif
