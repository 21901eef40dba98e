/* Statistics of targets that others wrote: whatever comes ends in fields or an
 * error that says something. */
#include <stdlib.h>

#include "agent/watch/stats_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record_sample_target now;
    struct stats_map map = {.n = 0};
    struct why why = {0};
    if (stats_map_add(&map, "docs=/a/*/b/*", &why) ||
        stats_map_add(&map, "young_ns=1000*/*/*/*/0", &why))
        abort();
    enum err e = stats_map_read(&map, (const char *)data, size, &now, &why);
    if (e && ((e != ERR_INVALID && e != ERR_NOMEM) || !why.text[0]))
        abort();
    return 0;
}
