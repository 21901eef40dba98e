/* A Java virtual machine's log, line by line. */
#include "agent/watch/jvm_sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct measure_window window = {0, 0, UINT64_MAX};
    struct scan text = scan_text((const char *)data, size), line;
    struct jvm_sum sum;
    jvm_sum_init(&sum, &window);
    while (scan_line(&text, &line)) {
        struct gclog_line read;
        if (gclog_parse(line, &read))
            jvm_sum_line(&sum, &read);
    }
    jvm_sum_fini(&sum);
    return 0;
}
