/* The target's statistics: whatever it sends ends in fields or an error that
 * says something. */
#include <stdlib.h>

#include "agent/watch/stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record_sample_target now, before = {.docs = 1};
    struct why why = {0};
    enum err e = stats_parse((const char *)data, size, &now, &why);
    if (e && (e != ERR_INVALID || !why.text[0]))
        abort();
    if (!e)
        (void)stats_since(&before, &now);
    return 0;
}
