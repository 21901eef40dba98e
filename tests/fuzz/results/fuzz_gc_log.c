/* A collector's log: the sums are sums. */
#include <stdint.h>
#include <stdlib.h>

#include "results/gc_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gc_log log = gc_log_read((const char *)data, size);
    if (!(log.pause_ns >= log.max_ns) || !(log.max_ns >= 0))
        abort();
    if (!log.young && !log.other && log.max_ns > 0)
        abort();
    return 0;
}
