/* Units as people type and read them; inside are only ns, bytes, bits per
 * second as u64, ratios 0..1 and per-second doubles. */
#ifndef PITWALL_COMMON_UNITS_H
#define PITWALL_COMMON_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Parse "64k", "2g", "1Mi", "512", "32kb" to bytes. Binary multiples, with or
 * without i and b, any case. Text after the number other than a unit, a sign,
 * a fraction, an empty text: ERR_INVALID naming text and what is accepted.
 * More than 2^63-1: ERR_RANGE. */
CHECKED enum err units_bytes(const char *text, uint64_t *bytes,
                             struct why *why);

/* Parse "500ms", "10s", "5m", "2h", "250us", "1.5s", "0" to ns. A number
 * without a unit is refused, except 0; so is what is no whole number of ns.
 * Errors as units_bytes. */
CHECKED enum err units_duration(const char *text, uint64_t *ns,
                                struct why *why);

/* Parse a link rate "200mbit", "1gbit", "64kbit", "10gbit" (decimal, as tc
 * reads them) to bits per second. Errors as units_bytes. */
CHECKED enum err units_bitrate(const char *text, uint64_t *bit_s,
                               struct why *why);

/* Parse "100/s", "6000/1m", "100" or "5000 docs/s" to a rate per second; unit
 * receives the word before "/s" ("" when there is none; letters, digits and _,
 * after a space) and must hold 16 bytes. A rate of 0 or below, or infinite:
 * ERR_INVALID. */
CHECKED enum err units_rate(const char *text, double *per_s, char unit[16],
                            struct why *why);

/* Parse a share "2%", "0.5%" or "0.02" to a ratio, 0..1. ERR_INVALID: no such
 * text; ERR_RANGE: above 100%. */
CHECKED enum err units_ratio(const char *text, double *ratio, struct why *why);

/* Parse a whole unsigned decimal number, nothing beside it, 0..max. */
CHECKED enum err units_u64(const char *text, uint64_t max, uint64_t *out,
                           struct why *why);

/* Print into buf (returned): bytes as the shortest exact binary multiple
 * ("64k", "1g", "1500"), or rounded for reading ("1.5 GiB"); ns as "1.23 ms";
 * bits per second as "200mbit"; a count with k, M, G ("12.3k"). 24 bytes are
 * enough for each. */
const char *units_show_bytes(char *buf, size_t size, uint64_t bytes);
const char *units_show_size(char *buf, size_t size, double bytes);
const char *units_show_ns(char *buf, size_t size, double ns);
const char *units_show_bitrate(char *buf, size_t size, uint64_t bit_s);
const char *units_show_count(char *buf, size_t size, double count);

#endif
