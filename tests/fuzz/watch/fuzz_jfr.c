/* Flight recordings, by way of a file in memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "agent/watch/jvm_sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err take(void *ctx, const struct jfr_event *event, struct why *why)
{
    return jvm_sum_event(ctx, event, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct measure_window window = {0, 0, UINT64_MAX};
    struct jvm_sum sum;
    struct jfr_sum read = {0};
    const struct jfr_plan plan = {
        .due_ns = UINT64_MAX, .take = take, .ctx = &sum};
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    jvm_sum_init(&sum, &window);
    if (write(fd, data, size) == (ssize_t)size &&
        !jfr_read(fd, &plan, &read, NULL))
        sum.record.recording = 1;
    jvm_sum_fini(&sum);
    (void)close(fd);
    return 0;
}
