#include "tests/bench/fidelity/figures.h"

void figures_add(struct figures *sum, const struct figures *one, bool jvm_oom)
{
    struct heap_stats *to = &sum->heap;
    const struct heap_stats *from = &one->heap;
    sum->runs += one->runs;
    sum->ooms += one->ooms;
    to->eden_bytes = from->eden_bytes;
    to->survivor_bytes = from->survivor_bytes;
    to->old_bytes = from->old_bytes;
    if (from->outside_max_bytes > to->outside_max_bytes)
        to->outside_max_bytes = from->outside_max_bytes;
    if ((one->ooms != 0) != jvm_oom)
        return;
    to->outside_bytes += from->outside_bytes;
    to->tlab_bytes += from->tlab_bytes;
    to->tlab_count += from->tlab_count;
    to->young_count += from->young_count;
    to->old_count += from->old_count;
    sum->bytes += one->bytes;
    sum->buffers += one->buffers;
}
