#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A manifest that is read prints to one that reads the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct manifest m, again;
    struct why why = {0};
    char text[MANIFEST_MAX];
    if (manifest_parse((const char *)data, size, &m, &why))
        return 0;
    size_t len = manifest_print(&m, text, sizeof text);
    if (manifest_parse(text, len, &again, &why) || again.outcome != m.outcome ||
        again.records != m.records || again.bytes != m.bytes ||
        again.crc != m.crc || strcmp(again.text, m.text) != 0)
        abort();
    return 0;
}
