/* A Java virtual machine's file of counters. */
#include "agent/watch/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perfdata_want wants[] = {{.name = "sun.rt.safepoints"},
                                    {.name = "java.ci.totalTime"}};
    char text[64];
    if (perfdata_read(data, size, wants, 2, NULL))
        return 0;
    (void)perfdata_text(data, size, "java.rt.vmArgs", text, sizeof text);
    return 0;
}
