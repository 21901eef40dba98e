/* libiperf's report. */
#include <stdlib.h>
#include <string.h>

#include "agent/watch/capacity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double bit_s = 0;
    struct why why = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    enum err e = capacity_parse(text, &bit_s, &why);
    (void)e; /* either is fine */
    char name[16];
    capacity_congestion(text, name, sizeof name);
    free(text);
    return 0;
}
