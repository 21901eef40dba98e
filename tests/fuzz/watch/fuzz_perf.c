/* A ring of the kernel's samples: the first byte says of which kind. */
#include "agent/perf_event.h"
#include "agent/watch/reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_socket(void *ctx, int fd)
{
    (void)ctx;
    return fd & 1;
}

static void take(void *ctx, const uint8_t *raw, size_t len)
{
    reads_add(ctx, raw, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hist hist;
    struct reads reads = {.ids = {1, 2, 3, 4, 5, 6}, .hist = &hist};
    struct reads_thread thread = {
        .reads = &reads, .is_socket = is_socket, .fd = -1};
    const struct perf_visitor to = {take, &thread, 0, UINT64_MAX};
    uint64_t lost = 0;
    hist_reset(&hist);
    if (size)
        perf_parse(data + 1, size - 1, *data & 1, &to, &lost);
    return 0;
}
