/* Rests of a server at set times: a length at the end of each period. Pure. */
#ifndef PITWALL_COMMON_STALL_H
#define PITWALL_COMMON_STALL_H

#include <stdint.h>

#include "common/err.h"

#define STALL_LENGTH_MAX_NS 60000000000ull
#define STALL_PERIOD_MAX_NS 3600000000000ull

struct stall {
    uint64_t length_ns, period_ns; /* 0, 0: never */
};

/* Parse "1s/10s", a rest of 1 s in every 10 s, or "0", never. ERR_INVALID,
 * ERR_RANGE: names the text and what is accepted. */
CHECKED enum err stall_parse(const char *text, struct stall *out,
                             struct why *why);

/* How long the rest at hand lasts, since_ns after the first period began; 0:
 * there is none. */
uint64_t stall_left_ns(const struct stall *stall, uint64_t since_ns);

#endif
