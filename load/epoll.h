/* Waiting on epoll for as long as an engine may, to the nanosecond. */
#ifndef PITWALL_LOAD_EPOLL_H
#define PITWALL_LOAD_EPOLL_H

#include <stdint.h>
#include <sys/epoll.h>

/* Wait for at most left_ns, for up to n_max events; returns how many came, or
 * below 0 with errno (epoll_pwait2(2)). In ms, rounded up, where the kernel is
 * older than 5.11. */
int epoll_await(int epoll_fd, struct epoll_event *events, int n_max,
                uint64_t left_ns);

#endif
