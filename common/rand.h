/* Seeded chance: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), so that orders,
 * corpora and schedules are pure functions of a seed. */
#ifndef PITWALL_COMMON_RAND_H
#define PITWALL_COMMON_RAND_H

#include <stdint.h>

struct rand {
    uint64_t state; /* the seed at first */
};

/* Next 64 bits. */
uint64_t rand_next(struct rand *r);

/* Uniform in 0..n-1, n > 0: draws until the value is not below 2^64 mod n, then
 * takes it modulo n (statistics.md section 4). */
uint64_t rand_bounded(struct rand *r, uint64_t n);

/* Uniform in [0, 1), 53 bits. */
double rand_unit(struct rand *r);

/* Exponential with mean 1, for Poisson arrivals. */
double rand_exponential(struct rand *r);

#endif
