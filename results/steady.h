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
/* Drifts that do not matter: of what MSER-5 keeps, and of the halves of a
 * short window, whose seconds scatter more. */
#define STEADY_MARGIN   0.02
#define STEADY_ACCEPTED 0.05

/* MSER-5 with the check of what it keeps (statistics.md section 3). */
struct mser {
    size_t batches, cut; /* of five seconds each */
    bool at_limit;       /* cut is half of them: no steady state */
    double at_cut, at_0; /* variance over length, with the cut and without */
    double change;       /* the kept batches' mean over the cut ones', less
                            one; 0 without a cut */
    double drift;        /* the kept batches' last third over their first,
                            less one */
    double drift_p;      /* Welch's, two-sided; 1 for thirds below two */
};

enum steady_class {
    STEADY_FLAT,
    STEADY_WARM_UP,  /* better after the cut */
    STEADY_SLOWDOWN, /* worse after it */
    STEADY_DRIFTING, /* the kept thirds differ by more than the margin */
    STEADY_NONE      /* cut as far as is allowed */
};

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

/* 1: no steady state or a drift of what MSER-5 keeps; below its length, halves
 * that differ. 0: steady. NAN: too short to judge. margin_ratio: as below;
 * accepted: as above. */
double steady_odd(const uint64_t *series, size_t n, double margin_ratio,
                  double accepted);

/* Of whole seconds, n >= STEADY_MSER_MIN; a last incomplete batch is left
 * out. */
void steady_mser(struct mser *out, const uint64_t *series, size_t n);

/* margin_ratio: a drift that does not matter, 0.02. */
enum steady_class steady_class_of(const struct mser *mser, double margin_ratio);

#endif
