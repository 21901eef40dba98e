/* When load agents that met (common/meet.h) may go on. Pure, a part of
 * bench.c's machine. */
#ifndef PITWALL_CONTROLLER_MEETING_H
#define PITWALL_CONTROLLER_MEETING_H

#include "controller/bench.h"

/* From a next step's last arrival to its t0, at least: one who hears of it
 * later fails the attempt. */
#define MEETING_LEAD_NS (500 * NS_PER_MS)

/* Lead the loads on from where all of them have come to. Before a measured step
 * their clocks are read anew, and t0 is a whole second after the first window's
 * begin, so that seconds are the same ones. */
void meeting_lead(struct bench *b, uint64_t now_ns);

#endif
