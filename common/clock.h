/* The three clocks, each for its one purpose: CLOCK_MONOTONIC for offsets,
 * starts and records, CLOCK_BOOTTIME for leases, wall time for provenance. */
#ifndef PITWALL_COMMON_CLOCK_H
#define PITWALL_COMMON_CLOCK_H

#include <stdint.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

/* Now, in ns: since an arbitrary start, without and with suspended time, and
 * since 1970. Thread: any. */
uint64_t clock_mono_ns(void);
uint64_t clock_boot_ns(void);
uint64_t clock_wall_ns(void);

/* CPU time of this process and of the calling thread. */
uint64_t clock_process_cpu_ns(void);
uint64_t clock_thread_cpu_ns(void);

/* Sleep until CLOCK_MONOTONIC reaches due_ns; at once when it has passed.
 * Goes on sleeping after signals. */
void clock_sleep_until(uint64_t due_ns);

/* Milliseconds from now_ns to due_ns for poll(2), rounded up, 0 when it has
 * passed, at most 60000. */
int clock_poll_ms(uint64_t now_ns, uint64_t due_ns);

#endif
