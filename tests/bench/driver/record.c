/* What recording a request costs. Prints, each the best of many rounds, since
 * others' work can only add; each round is shorter than a turn of theirs:
 *
 *   clock_ns      one clock read, part of the next
 *   record_ns     one clock read and one value into a histogram
 *   recorder_ns   all that a thread records of one answered request: counts,
 *                 latency and service time, of the window and of the second */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "load/recorder.h"

#define RECORDS 20000u
#define ROUNDS  500

/* Latencies as they are: most near the least, few far above; 80 us to 1.3 ms.
 */
static uint64_t latency_ns(uint32_t i)
{
    uint32_t x = i * 2654435761u >> 12; /* 20 bits, in no order */
    return 80000 + (uint64_t)x * x / 900000;
}

static double record_ns(struct hist *h)
{
    uint64_t begin_ns = clock_mono_ns(), now_ns = begin_ns;
    for (uint32_t i = 0; i < RECORDS; i++) {
        now_ns = clock_mono_ns();
        hist_record(h, latency_ns(i));
    }
    return (double)(now_ns - begin_ns) / RECORDS;
}

static double clock_ns(void)
{
    uint64_t begin_ns = clock_mono_ns(), now_ns = begin_ns;
    for (uint32_t i = 0; i < RECORDS; i++)
        now_ns = clock_mono_ns();
    return (double)(now_ns - begin_ns) / RECORDS;
}

static double recorder_ns(struct recorder *r)
{
    const uint64_t from_ns = r->last_done_ns + 10000000;
    struct recorder_event e = {
        .outcome = RECORDER_OK, .status = 200, .requests = 1};
    uint64_t begin_ns = clock_mono_ns();
    for (uint32_t i = 0; i < RECORDS; i++) {
        e.done_ns = from_ns + i;
        e.intended_ns = e.done_ns - latency_ns(i);
        e.sent_ns = e.intended_ns + 1000;
        recorder_start(r);
        recorder_add(r, &e);
    }
    return (double)(clock_mono_ns() - begin_ns) / RECORDS;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(void)
{
    const struct measure_window window = {.end_ns = UINT64_MAX};
    struct hist *h = calloc(1, sizeof *h);
    struct recorder *r = recorder_new(&window);
    double read_ns = 1e9, one_ns = 1e9, all_ns = 1e9;
    if (!h || !r)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        read_ns = least(read_ns, clock_ns());
        one_ns = least(one_ns, record_ns(h));
        all_ns = least(all_ns, recorder_ns(r));
    }
    (void)printf("clock_ns=%.1f record_ns=%.1f recorder_ns=%.1f\n", read_ns,
                 one_ns, all_ns);
    free(h);
    recorder_free(r);
    return 0;
}
