/* However an answer is cut, it says the same, and never more than was sent. */
#include <stdint.h>
#include <stdlib.h>

#include "load/bulk_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DOCS 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct bulk_answer whole, cut;
    bulk_answer_begin(&whole);
    bulk_answer_feed(&whole, text, size);
    uint32_t taken = bulk_answer_taken(&whole, DOCS);
    size_t step = size ? data[0] % 7u + 1 : 1;
    bulk_answer_begin(&cut);
    for (size_t at = 0; at < size; at += step)
        bulk_answer_feed(&cut, text + at, size - at < step ? size - at : step);
    if (taken > DOCS || bulk_answer_taken(&cut, DOCS) != taken ||
        cut.ok != whole.ok || cut.failed != whole.failed)
        abort();
    return 0;
}
