#include <stdint.h>

#include "tracks/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct plan *plan;
    if (plan_parse(&plan, (const char *)data, size, &why) == ERR_OK)
        plan_free(plan);
    return 0;
}
