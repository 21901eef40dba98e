/* The least that a program can do with libcurl to GET one URL again and again,
 * as the limit of what a driver on it can reach: nothing is recorded, no header
 * set, no answer looked at. Two ways, both with one easy handle a connection:
 *
 *   perform   curl_multi_perform and curl_multi_poll
 *   socket    curl_multi_socket_action, epoll, and interest that is left in
 *             the epoll set for the next request
 *
 * usage: minimal URL CONNECTIONS SECONDS perform|socket
 * Prints the requests done and the seconds they took. */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "common/clock.h"

#define CONNS_MAX  512
#define FDS_MAX    4096
#define EVENTS_MAX 64
#define WAIT_MS    100
#define TURNS_MAX  8 /* of what is due at once, before sockets are looked at */

struct driver {
    CURLM *multi;
    int epoll_fd;
    long timer_ms;
    uint32_t events[FDS_MAX]; /* that each descriptor is registered for */
    unsigned long done;
};

static size_t drop(char *data, size_t size, size_t n, void *ctx)
{
    (void)data, (void)ctx;
    return size * n;
}

static int set_timer(CURLM *multi, long ms, void *ctx)
{
    (void)multi;
    ((struct driver *)ctx)->timer_ms = ms;
    return 0;
}

static int watch(CURL *easy, curl_socket_t fd, int what, void *ctx,
                 void *unused)
{
    (void)easy, (void)unused;
    struct driver *d = ctx;
    struct epoll_event event = {.data.fd = fd};
    if (what == CURL_POLL_REMOVE || fd >= FDS_MAX)
        return 0;
    event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                   (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    if (d->events[fd] != event.events)
        (void)epoll_ctl(d->epoll_fd,
                        d->events[fd] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
                        &event);
    d->events[fd] = event.events;
    return 0;
}

/* Begin again whatever has ended; whether anything had. */
static bool again(struct driver *d)
{
    bool any = false;
    int left;
    const CURLMsg *msg;
    while ((msg = curl_multi_info_read(d->multi, &left))) {
        CURL *easy = msg->easy_handle;
        d->done += msg->data.result == CURLE_OK;
        (void)curl_multi_remove_handle(d->multi, easy);
        (void)curl_multi_add_handle(d->multi, easy);
        any = true;
    }
    return any;
}

static void by_perform(struct driver *d)
{
    int running;
    (void)curl_multi_perform(d->multi, &running);
    if (again(d))
        (void)curl_multi_perform(d->multi, &running);
    (void)curl_multi_poll(d->multi, NULL, 0, WAIT_MS, NULL);
}

static void by_socket(struct driver *d)
{
    struct epoll_event events[EVENTS_MAX];
    int running;
    for (int i = 0; i < TURNS_MAX; i++) {
        bool due = d->timer_ms == 0;
        d->timer_ms = due ? -1 : d->timer_ms;
        if (due)
            (void)curl_multi_socket_action(d->multi, CURL_SOCKET_TIMEOUT, 0,
                                           &running);
        if (!again(d) && d->timer_ms)
            break;
    }
    int n =
        epoll_wait(d->epoll_fd, events, EVENTS_MAX, d->timer_ms ? WAIT_MS : 0);
    for (int i = 0; i < n; i++)
        (void)curl_multi_socket_action(
            d->multi, events[i].data.fd,
            (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0),
            &running);
}

static bool begin(struct driver *d, CURL **easy, const char *url)
{
    *easy = curl_easy_init();
    return *easy && !curl_easy_setopt(*easy, CURLOPT_URL, url) &&
           !curl_easy_setopt(*easy, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(*easy, CURLOPT_PROXY, "") &&
           !curl_easy_setopt(*easy, CURLOPT_WRITEFUNCTION, drop) &&
           !curl_multi_add_handle(d->multi, *easy);
}

int main(int argc, char **argv)
{
    static struct driver d = {.timer_ms = -1};
    CURL *easy[CONNS_MAX];
    long n = argc == 5 ? strtol(argv[2], NULL, 10) : 0;
    bool socket = argc == 5 && !strcmp(argv[4], "socket");
    if (n < 1 || n > CONNS_MAX ||
        (!socket && strcmp(argv[4], "perform") != 0)) {
        (void)fprintf(stderr, "usage: minimal URL CONNECTIONS SECONDS "
                              "perform|socket\n");
        return 2;
    }
    bool good = !curl_global_init(CURL_GLOBAL_DEFAULT) &&
                (d.multi = curl_multi_init()) &&
                (d.epoll_fd = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
                !curl_multi_setopt(d.multi, CURLMOPT_MAXCONNECTS, n + 16);
    if (good && socket)
        good = !curl_multi_setopt(d.multi, CURLMOPT_SOCKETFUNCTION, watch) &&
               !curl_multi_setopt(d.multi, CURLMOPT_SOCKETDATA, &d) &&
               !curl_multi_setopt(d.multi, CURLMOPT_TIMERFUNCTION, set_timer) &&
               !curl_multi_setopt(d.multi, CURLMOPT_TIMERDATA, &d);
    for (long i = 0; good && i < n; i++)
        good = begin(&d, &easy[i], argv[1]);
    uint64_t begin_ns = clock_mono_ns(), now_ns = begin_ns;
    uint64_t end_ns = begin_ns + (uint64_t)(strtod(argv[3], NULL) * 1e9);
    for (; good && now_ns < end_ns; now_ns = clock_mono_ns())
        (socket ? by_socket : by_perform)(&d);
    (void)printf("%lu %.6f\n", d.done, (double)(now_ns - begin_ns) / 1e9);
    return good ? 0 : 1;
}
