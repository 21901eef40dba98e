#include "target/slow.h"

#include "common/clock.h"

uint64_t slow_due_ns(const struct slow *slow, uint64_t now_ns)
{
    return now_ns + (uint64_t)(slow->share * (double)(now_ns - slow->paid_ns));
}

void slow_pay(struct slow *slow, struct mutator *mutator)
{
    if (slow->share <= 0)
        return;
    uint64_t now_ns = clock_thread_cpu_ns();
    const uint64_t due_ns = slow_due_ns(slow, now_ns);
    heap_native_enter(mutator);
    while (now_ns < due_ns)
        now_ns = clock_thread_cpu_ns();
    heap_native_leave(mutator);
    slow->paid_ns = now_ns;
}
