#include "load/epoll.h"

#include <errno.h>
#include <time.h>

#include "common/clock.h"

int epoll_await(int epoll_fd, struct epoll_event *events, int n_max,
                uint64_t left_ns)
{
    const struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                                     .tv_nsec = (long)(left_ns % NS_PER_S)};
    int n = epoll_pwait2(epoll_fd, events, n_max, &timeout, NULL);
    if (n < 0 && errno == ENOSYS)
        n = epoll_wait(epoll_fd, events, n_max, clock_poll_ms(0, left_ns));
    return n;
}
