#include <stdint.h>
#include <string.h>

#include "results/closing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Twice, since what several agents say is added up. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct closing closing = {.known = false};
    struct why why;
    for (int i = 0; i < 2; i++)
        if (closing_add(&closing, "agent", data, size, &why))
            return 0;
    if (strlen(closing.differs) >= sizeof closing.differs ||
        strlen(closing.changed) >= sizeof closing.changed)
        __builtin_trap();
    return 0;
}
