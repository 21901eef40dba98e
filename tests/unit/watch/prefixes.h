/* A parser over every beginning of a text, each ending at an unmapped page. */
#ifndef PITWALL_TESTS_UNIT_WATCH_PREFIXES_H
#define PITWALL_TESTS_UNIT_WATCH_PREFIXES_H

#include <string.h>

#include "tests/lib/guard.h"

/* Call fn(copy, n) for n = 0 .. len. */
static inline void prefixes(const void *text, size_t len,
                            void (*fn)(const char *text, size_t len))
{
    for (size_t n = 0; n <= len; n++) {
        char *copy = guard_copy(text, n);
        fn(copy, n);
        guard_free(copy, n);
    }
}

#endif
