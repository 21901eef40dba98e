/* The readers of the machine's own descriptions. */
#include "agent/gate/facts.h"
#include "agent/gate/hostinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct hostinfo_cpu cpu;
    uint64_t bytes = 0;
    char value[64];
    hostinfo_cpu(text, size, &cpu);
    (void)hostinfo_meminfo(text, size, "MemTotal", &bytes);
    (void)hostinfo_os_release(text, size, "PRETTY_NAME", value, sizeof value);
    hostinfo_choice(text, size, value, sizeof value);
    (void)hostinfo_list(text, size);
    return 0;
}
