/* What the generators draw with: a document's own stream of chance, picks from
 * weighted tables, sizes from quantiles, and writing it all as JSON. Whole
 * numbers only, no locale: the bytes are the same everywhere. */
#ifndef PITWALL_TRACKS_DRAW_H
#define PITWALL_TRACKS_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "common/rand.h"

#define DRAW_QUANTILES 33 /* entries of a quantile table */

/* Where the next byte goes; the caller made room. */
struct draw_out {
    char *at;
};

/* The stream of document i of seed. */
struct rand draw_begin(uint64_t seed, uint64_t i);

/* Index of one of n weights (total > 0), with that share of all. */
size_t draw_weighted(struct rand *r, const uint16_t *weights, size_t n);

/* A value of a distribution given by its quantiles at 0, 1/32, ... 32/32, with
 * straight lines between them. */
uint64_t draw_quantile(struct rand *r, const uint32_t *quantiles);

/* Text as it is; a number in decimal; a number of units (a power of ten of
 * them make one) with its decimals, as 12.50 for 1250 of 100. */
void draw_put(struct draw_out *o, const char *text);
void draw_put_u64(struct draw_out *o, uint64_t v);
void draw_put_decimal(struct draw_out *o, int64_t v, uint64_t unit);

/* A number with exactly that many digits, zeros in front. */
void draw_put_digits(struct draw_out *o, uint64_t v, unsigned digits);

#endif
