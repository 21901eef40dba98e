/* The id of a scroll comes from a client: what is read is written as it was. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/scroll.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char id[SCROLL_ID_BYTES], id_again[SCROLL_ID_BYTES];
    struct scroll s, again;
    struct why why;
    if (scroll_parse(&s, (const char *)data, size, &why))
        return 0;
    scroll_write(&s, id);
    if (scroll_read(&again, id, strlen(id), &why))
        abort();
    scroll_write(&again, id_again);
    if (strcmp(id, id_again) != 0)
        abort();
    return 0;
}
