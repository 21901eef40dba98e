/* The target's last word and the executor's settings: JSON of strangers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "results/effective.h"
#include "results/final.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct final final;
    struct effective effective;
    final_init(&final);
    enum err e = final_read(&final, data, size, &why);
    if (e && (final.known || final.hists[0] || !isnan(final.total_docs)))
        abort();
    final_fini(&final);
    e = effective_read(&effective, data, size, &why);
    if (e && (effective.rmem_known || effective.link_rate_bit))
        abort();
    return 0;
}
