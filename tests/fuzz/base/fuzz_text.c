/* Texts: cleaning makes them good, keeps their length and leaves good ones. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t good = text_good(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy || good > size)
        abort();
    memcpy(copy, data, size);
    text_clean(copy, size);
    if (text_good(copy, size) != size || memcmp(copy, data, good))
        abort();
    free(copy);
    return 0;
}
