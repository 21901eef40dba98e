#include "tests/unit/watch/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 16
#define REQUEST_MAX     4096

struct server {
    struct server_script script;
    int listener, wake[2];
    uint16_t port;
    char url[64];
    pthread_t thread;
    pthread_mutex_t lock;
    unsigned n_seen;
    char seen[SERVER_SEEN_MAX][64];
    char body[512];
    bool has_body;
    unsigned stats_asked;
    struct {
        int fd;
        size_t len;
        char buf[REQUEST_MAX];
    } connections[CONNECTIONS_MAX];
    size_t n;
};

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    abort();
}

static void answer(int fd, int status, const char *body)
{
    char out[8192];
    int n = snprintf(out, sizeof out,
                     "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n%s", status,
                     strlen(body), body);
    (void)!send(fd, out, (size_t)n, MSG_NOSIGNAL);
}

static void answer_large(int fd, const char *body)
{
    char head[128];
    int n =
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 X\r\nContent-Length: %zu\r\n\r\n", strlen(body));
    (void)!send(fd, head, (size_t)n, MSG_NOSIGNAL);
    (void)!send(fd, body, strlen(body), MSG_NOSIGNAL);
}

/* The script's statistics, its %d replaced by how often they were asked for. */
static void answer_stats(struct server *s, int fd)
{
    char body[4096], *at = NULL;
    if (s->script.stats_status) {
        answer(fd, s->script.stats_status, "{}");
        return;
    }
    (void)snprintf(body, sizeof body, "%s",
                   s->script.stats ? s->script.stats : "{}");
    s->stats_asked++;
    while ((at = strstr(body, "%d"))) {
        char rest[4096];
        (void)snprintf(rest, sizeof rest, "%s", at + 2);
        (void)snprintf(at, sizeof body - (size_t)(at - body), "%u%s",
                       s->stats_asked, rest);
    }
    answer(fd, 200, body);
}

static void serve(struct server *s, int fd, const char *request)
{
    if (s->n_seen < SERVER_SEEN_MAX)
        (void)snprintf(s->seen[s->n_seen++], sizeof *s->seen, "%.60s", request);
    if (s->script.silent)
        return;
    if (!strncmp(request, "POST /_pitwall/window", 21)) {
        (void)snprintf(s->body, sizeof s->body, "%s",
                       strstr(request, "\r\n\r\n") + 4);
        s->has_body = true;
        answer(fd, s->script.window_status ? s->script.window_status : 200,
               "{}");
    } else if (!strncmp(request, "GET /_pitwall/stats", 19)) {
        answer_stats(s, fd);
    } else if (s->script.root_failures > 0) {
        s->script.root_failures--;
        answer(fd, 503, "");
    } else if (s->script.body) {
        answer_large(fd, s->script.body);
    } else {
        answer(fd, 200, "ok");
    }
}

/* One whole request in buf, with the body its Content-Length tells. */
static bool complete(const char *buf)
{
    const char *end = strstr(buf, "\r\n\r\n");
    const char *length = strcasestr(buf, "content-length:");
    if (!end)
        return false;
    size_t body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
    return strlen(end + 4) >= body;
}

static void feed(struct server *s, size_t i)
{
    char *buf = s->connections[i].buf;
    size_t *len = &s->connections[i].len;
    ssize_t n =
        recv(s->connections[i].fd, buf + *len, REQUEST_MAX - 1 - *len, 0);
    if (n <= 0) {
        (void)close(s->connections[i].fd);
        s->connections[i] = s->connections[--s->n];
        return;
    }
    *len += (size_t)n;
    buf[*len] = '\0';
    if (!complete(buf))
        return;
    (void)pthread_mutex_lock(&s->lock);
    serve(s, s->connections[i].fd, buf);
    (void)pthread_mutex_unlock(&s->lock);
    *len = 0;
}

static void accept_one(struct server *s)
{
    int fd = accept(s->listener, NULL, NULL);
    if (fd < 0)
        return;
    if (s->n == CONNECTIONS_MAX) {
        (void)close(fd);
        return;
    }
    s->connections[s->n].len = 0;
    s->connections[s->n++].fd = fd;
}

static void *loop(void *arg)
{
    struct server *s = arg;
    for (;;) {
        struct pollfd p[CONNECTIONS_MAX + 2] = {
            {.fd = s->wake[0], .events = POLLIN},
            {.fd = s->listener, .events = POLLIN}};
        size_t n = s->n;
        for (size_t i = 0; i < n; i++)
            p[i + 2] =
                (struct pollfd){.fd = s->connections[i].fd, .events = POLLIN};
        (void)poll(p, n + 2, -1);
        if (p[0].revents)
            return NULL;
        for (size_t i = n; i-- > 0;)
            if (p[i + 2].revents)
                feed(s, i);
        if (p[1].revents)
            accept_one(s);
    }
}

struct server *server_start(const struct server_script *script)
{
    struct server *s = calloc(1, sizeof *s);
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    must(s, "calloc");
    s->script = *script;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (script->rcvbuf)
        must(!setsockopt(s->listener, SOL_SOCKET, SO_RCVBUF, &script->rcvbuf,
                         sizeof script->rcvbuf),
             "SO_RCVBUF");
    must(!bind(s->listener, (struct sockaddr *)&a, size), "bind");
    must(!listen(s->listener, 16), "listen");
    must(!getsockname(s->listener, (struct sockaddr *)&a, &size),
         "getsockname");
    s->port = ntohs(a.sin_port);
    (void)snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u", s->port);
    must(!pipe(s->wake), "pipe");
    (void)pthread_mutex_init(&s->lock, NULL);
    must(!pthread_create(&s->thread, NULL, loop, s), "pthread_create");
    return s;
}

void server_stop(struct server *s)
{
    (void)!write(s->wake[1], "", 1);
    (void)pthread_join(s->thread, NULL);
    for (size_t i = 0; i < s->n; i++)
        (void)close(s->connections[i].fd);
    (void)close(s->listener);
    (void)close(s->wake[0]);
    (void)close(s->wake[1]);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

uint16_t server_port(const struct server *s)
{
    return s->port;
}

const char *server_url(const struct server *s)
{
    return s->url;
}

unsigned server_count(struct server *s, const char *text)
{
    unsigned count = 0;
    (void)pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->n_seen; i++)
        count += !strncmp(s->seen[i], text, strlen(text));
    (void)pthread_mutex_unlock(&s->lock);
    return count;
}

bool server_body(struct server *s, char *out, size_t size)
{
    (void)pthread_mutex_lock(&s->lock);
    bool has = s->has_body;
    (void)snprintf(out, size, "%s", s->body);
    (void)pthread_mutex_unlock(&s->lock);
    return has;
}
