#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/change.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A journal of any bytes: what is read lies within it, stands terminated, and
 * encodes to the bytes that it was read from. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct changes list;
    struct why why = {0};
    struct change c;
    uint8_t again[CHANGE_RECORD_MAX];
    size_t good = 0, used = 0;
    if (changes_replay(&list, data, size, &good, &why) && !why.text[0])
        abort();
    if (good > size || list.n > CHANGES_MAX)
        abort();
    for (size_t at = 0; at < good; at += used) {
        if (change_decode(data + at, size - at, &c, &used, &why))
            abort();
        if (change_encode(&c, again) != used)
            abort();
        (void)change_verdict(&c, "boot", c.old);
    }
    for (unsigned i = 0; i < list.n; i++)
        if (!changes_find(&list, list.items[i].kind, list.items[i].target))
            abort();
    return 0;
}
