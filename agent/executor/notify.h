/* What a service manager hears of the agent (sd_notify(3)'s protocol: datagrams
 * to the socket that NOTIFY_SOCKET names): ready, still alive, stopping. The
 * executor links no library for it, since nothing may stop it from undoing. */
#ifndef PITWALL_AGENT_EXECUTOR_NOTIFY_H
#define PITWALL_AGENT_EXECUTOR_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
    int fd; /* -1: nobody listens */
    struct sockaddr_un to;
    socklen_t to_len;
    bool ready;         /* was said */
    uint64_t period_ns; /* of signs of life; 0: none are wanted */
    uint64_t due_ns;    /* of the next one; UINT64_MAX: never */
};

/* socket and watchdog are NOTIFY_SOCKET and WATCHDOG_USEC, NULL: not set. What
 * cannot be used is left alone: nothing depends on it. */
void notify_open(struct notify *n, const char *socket, const char *watchdog);
void notify_close(struct notify *n);

/* "READY=1", once; "STOPPING=1". */
void notify_ready(struct notify *n);
void notify_stopping(const struct notify *n);

/* "WATCHDOG=1" when it is due: twice in the time that is given. */
void notify_alive(struct notify *n, uint64_t now_ns);

#endif
