/* Figures as others write them, "46.57 MB" or 58.9725 beside "min", in the
 * units that metrics have here: ns, bytes, shares, per second. Pure. */
#ifndef PITWALL_RESULTS_FOREIGN_UNIT_H
#define PITWALL_RESULTS_FOREIGN_UNIT_H

#include "common/err.h"

/* The value of text, a decimal number with its unit behind it or, where it has
 * none, in unit ("" as it stands). MB is 10^6 bytes, MiB 2^20.
 * Errors  ERR_INVALID: not a number, not finite, or a unit that is not known;
 *         names both and what is accepted. */
CHECKED enum err foreign_number(const char *text, const char *unit, double *out,
                                struct why *why);

#endif
