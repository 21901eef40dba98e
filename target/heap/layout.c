#include "target/heap/layout.h"

#include "common/units.h"
#include "target/heap/heap.h"

#define GEN_ALIGN      65536u
#define NEW_RATIO      2u
#define SURVIVOR_RATIO 8u

static uint64_t align_down(uint64_t bytes)
{
    return bytes / GEN_ALIGN * GEN_ALIGN;
}

enum err layout_make(struct layout *layout, uint64_t heap_bytes,
                     uint64_t young_bytes, struct why *why)
{
    char have[24], need[24];
    if (heap_bytes < HEAP_BYTES_MIN)
        return err_set(why, ERR_RANGE, "heap %s: at least %s",
                       units_show_bytes(have, sizeof have, heap_bytes),
                       units_show_bytes(need, sizeof need, HEAP_BYTES_MIN));
    if (!young_bytes)
        young_bytes = heap_bytes / (NEW_RATIO + 1);
    uint64_t young = align_down(young_bytes);
    if (young < HEAP_YOUNG_BYTES_MIN || young >= heap_bytes)
        return err_set(why, ERR_RANGE, "young %s: at least 640k, below heap %s",
                       units_show_bytes(have, sizeof have, young_bytes),
                       units_show_bytes(need, sizeof need, heap_bytes));
    uint64_t survivor = align_down(young / (SURVIVOR_RATIO + 2));
    layout->heap_bytes = heap_bytes / 8 * 8;
    layout->survivor_bytes = survivor;
    layout->eden_bytes = young - 2 * survivor;
    layout->old_bytes = layout->heap_bytes - young;
    return ERR_OK;
}
