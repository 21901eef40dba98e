/* Where several load agents that drive one plan meet after their start: points
 * that all of them come to in the same order, numbered alike on all.
 *
 *   MEET_START     before a later measured step: connections are open; all get
 *                  one t0
 *   MEET_COMPLETE  in a step with `completed-by`: its task is over here; all
 *                  get one instant at which the others stop
 *   MEET_OVER      behind a measured step that is not the last: what is done
 *                  once comes next, or the next measured step
 *
 * Who comes says so (CHILD_MEET, STATUS), and is told to go on (MEET, CHILD_GO)
 * when all have come so far, or one whose word counts for all ("any"). */
#ifndef PITWALL_COMMON_MEET_H
#define PITWALL_COMMON_MEET_H

#include <stdint.h>

enum meet_kind { MEET_START, MEET_COMPLETE, MEET_OVER };

/* The number of a measured step's meeting, steps counted from 0; 0, the start
 * of the first, is START_AT's. */
static inline uint32_t meet_number(uint32_t step, enum meet_kind kind)
{
    return 3 * step + (uint32_t)kind;
}

static inline enum meet_kind meet_kind(uint32_t number)
{
    return (enum meet_kind)(number % 3);
}

#endif
