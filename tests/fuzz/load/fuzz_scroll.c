/* However a page is cut, it says the same, and its id can be sent back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/scroll_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scroll_answer whole, cut;
    const char *text = (const char *)data;
    whole.id[whole.id_len = 0] = cut.id[cut.id_len = 0] = 0;
    scroll_answer_begin(&whole);
    scroll_answer_feed(&whole, text, size);
    size_t step = size ? data[0] % 7u + 1 : 1;
    scroll_answer_begin(&cut);
    for (size_t at = 0; at < size; at += step)
        scroll_answer_feed(&cut, text + at,
                           size - at < step ? size - at : step);
    if (whole.id_len > SCROLL_ID_MAX || whole.id_len != cut.id_len ||
        memcmp(whole.id, cut.id, whole.id_len) || whole.any != cut.any ||
        whole.total != cut.total || whole.hits_known != cut.hits_known)
        abort();
    return 0;
}
