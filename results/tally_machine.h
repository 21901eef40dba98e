/* What of a tally is about the machines: where threads were let run, and what
 * others used. */
#ifndef PITWALL_RESULTS_TALLY_MACHINE_H
#define PITWALL_RESULTS_TALLY_MACHINE_H

struct tally;

#define TALLY_PINS 65u /* the target's and loads' */

enum tally_side_name { TALLY_TARGET, TALLY_LOAD, TALLY_SIDES };

/* Where a side's threads should be, and where they were let be; "": not
 * known. */
struct tally_pin {
    char side[9];
    char cpus[64], seen[64];
};

/* The place of a side's pin, made when it is not there; NULL: too many. */
struct tally_pin *tally_pin_of(struct tally *tally, const char *side);

/* CPU that others than the trial's processes used on a side's machine, cores on
 * average over the window; interrupts are nobody's, since most are the
 * trial's. NAN: not watched. */
double tally_foreign(const struct tally *tally, enum tally_side_name side);

#endif
