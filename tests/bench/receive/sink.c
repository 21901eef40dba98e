/* The limits that the target's receive path is held against: an epoll server
 * that reads HTTP requests with as little as possible and answers 200.
 *
 *   sink PORT MODE [ADDRESS]   (127.0.0.1)
 *
 *   reuse   one 64 KiB buffer, used again for every read
 *   eden    a fresh zeroed 64 KiB piece for every read, taken one after the
 *           other from a region of a 1g heap's eden: what zeroing and
 *           streaming through memory cost by themselves
 *
 * Ends on SIGTERM; one thread. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES 65536u
#define EDEN_BYTES   286326784u
#define FDS_MAX      1024

static const char answer[] = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/* Body bytes still to come, by descriptor; 0: a head comes next. */
static uint64_t left[FDS_MAX];

struct memory {
    char *start;
    size_t size, at;
};

static char *buffer_next(struct memory *m)
{
    if (m->at + BUFFER_BYTES > m->size)
        m->at = 0;
    char *p = m->start + m->at;
    if (m->size > BUFFER_BYTES) {
        memset(p, 0, BUFFER_BYTES);
        m->at += BUFFER_BYTES;
    }
    return p;
}

/* Content-Length of a head that came in one piece, as our drivers send it. */
static uint64_t body_bytes(const char *head, size_t len)
{
    static const char name[] = "ontent-Length:";
    const char *p = memmem(head, len, name, sizeof name - 1);
    return p ? strtoull(p + sizeof name - 1, NULL, 10) : 0;
}

/* What n bytes at p complete: answered. False: not what we expect. */
static bool take(int fd, const char *p, size_t n)
{
    while (p && n) {
        if (!left[fd]) {
            const char *end = memmem(p, n, "\r\n\r\n", 4);
            if (!end)
                return false;
            size_t head = (size_t)(end - p) + 4;
            left[fd] = body_bytes(p, head);
            p += head;
            n -= head;
        }
        size_t part = n < left[fd] ? n : (size_t)left[fd];
        left[fd] -= part;
        p += part;
        n -= part;
        if (!left[fd] && write(fd, answer, sizeof answer - 1) < 0)
            return false;
    }
    return true;
}

static void serve(int epfd, int listener, struct memory *m)
{
    struct epoll_event events[64];
    int n = epoll_wait(epfd, events, 64, -1);
    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd == listener) {
            int one = 1, got = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
            struct epoll_event ev = {.events = EPOLLIN, .data.fd = got};
            if (got < 0 || got >= FDS_MAX)
                continue;
            left[got] = 0;
            (void)setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            (void)epoll_ctl(epfd, EPOLL_CTL_ADD, got, &ev);
            continue;
        }
        char *buffer = buffer_next(m);
        ssize_t bytes = recv(fd, buffer, BUFFER_BYTES, MSG_DONTWAIT);
        if (bytes < 0 && errno == EAGAIN)
            continue;
        if (bytes <= 0 || !take(fd, buffer, (size_t)bytes))
            (void)close(fd);
    }
}

static int listen_on(uint16_t port, const char *address)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons(port),
                            .sin_addr.s_addr = inet_addr(address)};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 64)) {
        perror("sink");
        exit(1);
    }
    return fd;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4 ||
        (strcmp(argv[2], "reuse") && strcmp(argv[2], "eden"))) {
        (void)fprintf(stderr, "usage: sink PORT reuse|eden [ADDRESS]\n");
        return 2;
    }
    struct memory m = {.size =
                           strcmp(argv[2], "eden") ? BUFFER_BYTES : EDEN_BYTES};
    m.start = mmap(NULL, m.size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m.start == MAP_FAILED)
        return 1;
    /* Huge pages where there are any, all touched before: as the heap does. */
    (void)madvise(m.start, m.size, MADV_HUGEPAGE);
    memset(m.start, 1, m.size);
    (void)signal(SIGPIPE, SIG_IGN);
    int listener =
        listen_on((uint16_t)atoi(argv[1]), argc > 3 ? argv[3] : "127.0.0.1");
    int epfd = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(epfd, EPOLL_CTL_ADD, listener, &ev))
        return 1;
    for (;;)
        serve(epfd, listener, &m);
}
