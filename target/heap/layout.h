/* Sizes of the generations, as OpenJDK's Serial collector makes them from -Xmx
 * with -Xms equal (target-memory.md section e). Pure. */
#ifndef PITWALL_TARGET_HEAP_LAYOUT_H
#define PITWALL_TARGET_HEAP_LAYOUT_H

#include <stdint.h>

#include "common/err.h"

struct layout {
    uint64_t heap_bytes, eden_bytes, survivor_bytes, old_bytes;
};

/* young = heap / 3, or young_bytes where not 0; survivor = young / 10, each
 * aligned down to 64 KiB; eden = young - 2 survivors; old = heap - young.
 * ERR_RANGE: heap below HEAP_BYTES_MIN, young below 1 MiB or not below the
 * heap. */
CHECKED enum err layout_make(struct layout *layout, uint64_t heap_bytes,
                             uint64_t young_bytes, struct why *why);

#endif
