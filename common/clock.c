#include "common/clock.h"

#include <errno.h>
#include <time.h>

static uint64_t read_ns(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_boot_ns(void)
{
    return read_ns(CLOCK_BOOTTIME);
}

uint64_t clock_wall_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

uint64_t clock_process_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clock_sleep_until(uint64_t due_ns)
{
    struct timespec t = {.tv_sec = (time_t)(due_ns / NS_PER_S),
                         .tv_nsec = (long)(due_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

int clock_poll_ms(uint64_t now_ns, uint64_t due_ns)
{
    if (due_ns <= now_ns)
        return 0;
    uint64_t ms = (due_ns - now_ns - 1) / NS_PER_MS + 1;
    return ms > 60000 ? 60000 : (int)ms;
}
