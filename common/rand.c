#include "common/rand.h"

#include <assert.h>
#include <math.h>

uint64_t rand_next(struct rand *r)
{
    r->state += 0x9e3779b97f4a7c15ull;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint64_t rand_bounded(struct rand *r, uint64_t n)
{
    assert(n > 0);
    uint64_t low = (0 - n) % n; /* 2^64 mod n */
    uint64_t v;
    do
        v = rand_next(r);
    while (v < low);
    return v % n;
}

double rand_unit(struct rand *r)
{
    return (double)(rand_next(r) >> 11) * 0x1p-53;
}

double rand_exponential(struct rand *r)
{
    return -log1p(-rand_unit(r));
}
