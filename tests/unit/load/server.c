#include "tests/unit/load/server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 4096
#define HEADS_MAX       16384

struct server {
    server_script *script;
    int fd;
    char url[64];
    pthread_t acceptor;
    pthread_mutex_t lock;
    pthread_t threads[CONNECTIONS_MAX];
    int fds[CONNECTIONS_MAX]; /* -1: closed */
    unsigned n_connections;
    atomic_uint n_requests;
    atomic_bool released;
    char heads[HEADS_MAX + 1], copy[HEADS_MAX + 1];
    size_t heads_len;
};

struct connection {
    struct server *server;
    unsigned number;
    int fd;
    char buf[65536];
    size_t len;
};

static void send_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        data += n;
        len -= (size_t)n;
    }
}

/* Read until the head is there; its length, 0 at the end. */
static size_t read_head(struct connection *c)
{
    for (;;) {
        const char *end = c->len ? memmem(c->buf, c->len, "\r\n\r\n", 4) : NULL;
        if (end)
            return (size_t)(end - c->buf) + 4;
        ssize_t n = c->len < sizeof c->buf ? recv(c->fd, c->buf + c->len,
                                                  sizeof c->buf - c->len, 0)
                                           : 0;
        if (n <= 0)
            return 0;
        c->len += (size_t)n;
    }
}

static size_t content_length(const char *head, size_t len)
{
    static const char name[] = "content-length:";
    for (size_t i = 0; i + sizeof name < len; i++)
        if (!strncasecmp(head + i, name, sizeof name - 1))
            return strtoul(head + i + sizeof name - 1, NULL, 10);
    return 0;
}

static void keep_head(struct connection *c, size_t len)
{
    struct server *s = c->server;
    (void)pthread_mutex_lock(&s->lock);
    if (s->heads_len + len <= HEADS_MAX) {
        memcpy(s->heads + s->heads_len, c->buf, len);
        s->heads_len += len;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* Drop len bytes of the input, reading what is missing. */
static bool skip(struct connection *c, size_t len)
{
    while (len) {
        size_t n = len < c->len ? len : c->len;
        memmove(c->buf, c->buf + n, c->len - n);
        c->len -= n;
        len -= n;
        if (!len)
            break;
        ssize_t got = recv(c->fd, c->buf, sizeof c->buf, 0);
        if (got <= 0)
            return false;
        c->len = (size_t)got;
    }
    return true;
}

static void answer(const struct connection *c, const struct server_reply *r)
{
    char head[256], chunk[32];
    const char *body = r->body ? r->body : "";
    size_t len = strlen(body);
    int n;
    if (r->act == SERVER_CHUNKED)
        n = snprintf(head, sizeof head,
                     "HTTP/1.1 %u X\r\nTransfer-Encoding: chunked\r\n\r\n",
                     r->status);
    else if (r->act == SERVER_NO_LENGTH)
        n = snprintf(head, sizeof head, "HTTP/1.1 %u X\r\n\r\n", r->status);
    else
        n = snprintf(
            head, sizeof head, "HTTP/1.1 %u X\r\n%sContent-Length: %zu\r\n\r\n",
            r->status, r->act == SERVER_CLOSE ? "Connection: close\r\n" : "",
            len);
    send_all(c->fd, head, (size_t)n);
    if (r->act == SERVER_SLOW) {
        for (size_t i = 0; i < len; i++)
            send_all(c->fd, body + i, 1);
    } else if (r->act == SERVER_CHUNKED) {
        for (size_t i = 0; i < len; i += 7) {
            size_t piece = len - i < 7 ? len - i : 7;
            n = snprintf(chunk, sizeof chunk, "%zx\r\n", piece);
            send_all(c->fd, chunk, (size_t)n);
            send_all(c->fd, body + i, piece);
            send_all(c->fd, "\r\n", 2);
        }
        send_all(c->fd, "0\r\n\r\n", 5);
    } else {
        send_all(c->fd, body, r->act == SERVER_HALF ? len / 2 : len);
    }
}

/* An answer and what nobody asked for, in one piece. */
static void answer_more(const struct connection *c,
                        const struct server_reply *r)
{
    char both[512];
    int n = snprintf(both, sizeof both,
                     "HTTP/1.1 %u X\r\nContent-Length: %zu\r\n\r\n%s"
                     "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n",
                     r->status, strlen(r->body), r->body);
    send_all(c->fd, both, (size_t)n);
}

/* Whether the connection goes on. */
static bool act(const struct connection *c, const struct server_reply *r)
{
    const struct linger reset = {.l_onoff = 1};
    char byte;
    switch (r->act) {
    case SERVER_ANSWER:
    case SERVER_HELD:
    case SERVER_CHUNKED:
    case SERVER_SLOW:
        answer(c, r);
        return true;
    case SERVER_MORE:
        answer_more(c, r);
        return true;
    case SERVER_KILL:
        answer(c, r);
        (void)usleep(20000);
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        return false;
    case SERVER_CLOSE:
    case SERVER_HANG_UP:
    case SERVER_NO_LENGTH:
    case SERVER_HALF:
    case SERVER_EARLY:
        answer(c, r);
        return false;
    case SERVER_GARBAGE:
        send_all(c->fd, "SSH-2.0-no http here\r\n", 22);
        return false;
    case SERVER_RESET:
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        return false;
    case SERVER_STALL: /* until the client gives up */
        (void)recv(c->fd, &byte, 1, 0);
        return false;
    case SERVER_DROP:
    default:
        return false;
    }
}

static bool serve_one(struct connection *c)
{
    size_t head = read_head(c);
    if (!head)
        return false;
    size_t body = content_length(c->buf, head);
    keep_head(c, head);
    unsigned n = atomic_fetch_add(&c->server->n_requests, 1);
    struct server_reply r = c->server->script(n);
    while (r.act == SERVER_HELD && !atomic_load(&c->server->released))
        (void)usleep(1000);
    if (r.act != SERVER_EARLY && r.act != SERVER_RESET && !skip(c, head + body))
        return false;
    return act(c, &r);
}

static void *serve(void *arg)
{
    struct connection *c = arg;
    struct server *s = c->server;
    while (serve_one(c))
        continue;
    (void)pthread_mutex_lock(&s->lock);
    (void)close(c->fd);
    s->fds[c->number] = -1;
    (void)pthread_mutex_unlock(&s->lock);
    free(c);
    return NULL;
}

static void *take(void *arg)
{
    struct server *s = arg;
    const int one = 1;
    for (;;) {
        int fd = accept(s->fd, NULL, NULL);
        if (fd < 0)
            return NULL;
        struct connection *c = calloc(1, sizeof *c);
        if (!c || s->n_connections == CONNECTIONS_MAX)
            abort();
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        (void)pthread_mutex_lock(&s->lock);
        *c = (struct connection){
            .server = s, .fd = fd, .number = s->n_connections};
        s->fds[s->n_connections] = fd;
        if (pthread_create(&s->threads[s->n_connections], NULL, serve, c))
            abort();
        s->n_connections++;
        (void)pthread_mutex_unlock(&s->lock);
    }
}

struct server *server_start(server_script *script)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->script = script;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&address, len) ||
        listen(s->fd, 128) ||
        getsockname(s->fd, (struct sockaddr *)&address, &len) ||
        pthread_mutex_init(&s->lock, NULL) ||
        pthread_create(&s->acceptor, NULL, take, s))
        abort();
    (void)snprintf(s->url, sizeof s->url, "http://127.0.0.1:%u",
                   ntohs(address.sin_port));
    return s;
}

void server_stop(struct server *s)
{
    (void)shutdown(s->fd, SHUT_RDWR);
    (void)pthread_join(s->acceptor, NULL);
    (void)close(s->fd);
    (void)pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->n_connections; i++)
        if (s->fds[i] >= 0)
            (void)shutdown(s->fds[i], SHUT_RDWR);
    (void)pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->n_connections; i++)
        (void)pthread_join(s->threads[i], NULL);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *server_url(const struct server *s)
{
    return s->url;
}

void server_release(struct server *s)
{
    atomic_store(&s->released, true);
}

unsigned server_requests(const struct server *s)
{
    return atomic_load(&s->n_requests);
}

unsigned server_connections(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    unsigned n = s->n_connections;
    (void)pthread_mutex_unlock(&s->lock);
    return n;
}

const char *server_heads(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    memcpy(s->copy, s->heads, sizeof s->copy);
    (void)pthread_mutex_unlock(&s->lock);
    return s->copy;
}
