/* Validity rules about the machines rather than the workload: what disturbed
 * them, and settings of theirs that were not in effect. invalid.c has the table
 * and the contract of each. */
#ifndef PITWALL_RESULTS_INVALID_MACHINE_H
#define PITWALL_RESULTS_INVALID_MACHINE_H

#include "results/invalid.h"

typedef bool invalid_check(const struct tally *tally,
                           enum attempt_outcome outcome, char *buf,
                           size_t size);

/* More than accepted: CPU used by others, CPU taken by the hypervisor, time
 * off the CPUs by quotas above the agent's own (or any event of heat), damaged
 * packets. */
invalid_check invalid_foreign, invalid_steal, invalid_throttled, invalid_link;

/* Threads seen outside the processors that pin gave them. */
invalid_check invalid_pin;

/* A setting that was put in force and had another value at the end. */
invalid_check invalid_changed;

#endif
