/* What an emulated link may be asked for, in one place for the operator's
 * program and the agent: an MTU that IPv4 can work with, a rate that the
 * kernel's shaper (tbf) can keep and a queue that it can count. Pure. */
#ifndef PITWALL_COMMON_SHAPE_H
#define PITWALL_COMMON_SHAPE_H

#include "common/spec.h"

#define SHAPE_MTU_DEFAULT 1500u /* of a veth where none is given */

/* The burst of a rate: as asked, else 32 KiB, as in the reference runs, or one
 * frame if that is more. 0 without a rate. */
uint64_t shape_burst_bytes(const struct trial_spec *spec);

/* Bytes that may wait at the shaper: the burst, and what the rate brings in the
 * latency (as asked, else 10 ms). 0 without a rate. */
uint64_t shape_queue_bytes(const struct trial_spec *spec);

/* Check the link_ fields of numbers. ERR_INVALID names the part, its value and
 * what is accepted. Numbers that are 0 are not asked for. */
CHECKED enum err shape_check(const struct trial_spec *spec, struct why *why);

#endif
