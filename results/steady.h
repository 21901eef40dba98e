/* Whether a window was in a steady state, from its throughput second by
 * second. Pure.
 *
 * From 100 seconds on by MSER-5 (White 1997): of means over five seconds, the
 * start is cut where the rest's variance over its length squared is least; a
 * cut of half the window means that there was no steady state. Between 10 and
 * 100 seconds the two halves are compared: they differ by more than is
 * accepted, and by more than the seconds' own scatter explains (Welch's t above
 * 4). Fewer seconds are not judged. */
#ifndef PITWALL_RESULTS_STEADY_H
#define PITWALL_RESULTS_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEADY_HALVES_MIN 10u
#define STEADY_MSER_MIN   100u

struct steady {
    bool judged, steady;
    size_t cut_s; /* MSER-5's, from 100 seconds on */
    double drift; /* second half over first half, less one */
    double t;     /* Welch's, of the halves */
};

/* series [n]: operations or documents of each whole second; accepted: the
 * largest drift that is none. */
void steady_judge(struct steady *out, const uint64_t *series, size_t n,
                  double accepted);

#endif
