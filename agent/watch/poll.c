#include "agent/watch/poll.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/sockets.h"

struct poll {
    CURL *easy;
    CURLM *multi;
    struct curl_slist *headers;
    bool under_way;
    bool too_long; /* the answer of the exchange under way */
    int fd;        /* of the newest connection; -1: none */
    char error[CURL_ERROR_SIZE];
    char base[256], url[512];
    size_t len;
    char body[POLL_BODY_MAX];
};

static enum err from_curl(const struct poll *p, CURLcode code, struct why *why)
{
    enum err e = ERR_IO;
    if (code == CURLE_COULDNT_CONNECT)
        e = ERR_REFUSED;
    else if (code == CURLE_OPERATION_TIMEDOUT)
        e = ERR_TIMEOUT;
    else if (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
             code == CURLE_SEND_ERROR || code == CURLE_PARTIAL_FILE)
        e = ERR_GONE;
    else if (code == CURLE_WEIRD_SERVER_REPLY ||
             code == CURLE_UNSUPPORTED_PROTOCOL)
        e = ERR_PROTOCOL;
    else if (code == CURLE_URL_MALFORMAT)
        e = ERR_USAGE;
    else if (code == CURLE_OUT_OF_MEMORY)
        e = ERR_NOMEM;
    const char *text = p->error[0] ? p->error : curl_easy_strerror(code);
    return err_set(why, e, "%s: %s", p->url, text);
}

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
    struct poll *p = ctx;
    size_t bytes = size * n;
    if (bytes > sizeof p->body - p->len) {
        p->too_long = true;
        return 0;
    }
    memcpy(p->body + p->len, data, bytes);
    p->len += bytes;
    return bytes;
}

/* Own sockets carry a mark that both sides' watches know. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    struct poll *p = ctx;
    const int tos = SOCKETS_WATCH_TOS;
    (void)purpose;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
                    address->protocol);
    if (fd < 0)
        return CURL_SOCKET_BAD;
    if (address->family == AF_INET)
        (void)setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    else
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof tos);
    p->fd = fd;
    return fd;
}

static int close_socket(void *ctx, curl_socket_t fd)
{
    struct poll *p = ctx;
    if (p->fd == fd)
        p->fd = -1;
    return close(fd);
}

/* A constant that curl refuses would be a fault of ours, seen at once in every
 * test: one failure speaks for all. */
static bool set_options(struct poll *p)
{
    CURL *c = p->easy;
    bool ok = !curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    ok &= !curl_easy_setopt(c, CURLOPT_PROXY, "");
    ok &= !curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http");
    ok &= !curl_easy_setopt(c, CURLOPT_ERRORBUFFER, p->error);
    ok &= !curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    ok &= !curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
    ok &= !curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    ok &= !curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, p);
    ok &= !curl_easy_setopt(c, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    ok &= !curl_easy_setopt(c, CURLOPT_CLOSESOCKETDATA, p);
    ok &= !curl_easy_setopt(c, CURLOPT_HTTPHEADER, p->headers);
    return ok;
}

static bool add_header(struct poll *p, const char *line)
{
    struct curl_slist *grown = curl_slist_append(p->headers, line);
    if (grown)
        p->headers = grown;
    return grown;
}

enum err poll_open(struct poll **out, const char *base, struct why *why)
{
    enum err e = ERR_OK;
    *out = NULL;
    if (strlen(base) >= sizeof((struct poll *)0)->base)
        return err_set(why, ERR_USAGE, "URL \"%.80s...\": too long", base);
    struct poll *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(why, ERR_NOMEM, "HTTP");
    p->fd = -1;
    (void)snprintf(p->base, sizeof p->base, "%s", base);
    bool ok = !curl_global_init(CURL_GLOBAL_NOTHING);
    p->easy = curl_easy_init();
    p->multi = curl_multi_init();
    /* An empty Expect: curl would wait a second before long bodies. */
    ok = ok && p->easy && p->multi && add_header(p, "Expect:") &&
         add_header(p, "Content-Type: application/json") && set_options(p);
    if (!ok) {
        e = err_set(why, ERR_INTERNAL, "curl cannot be set up");
        poll_close(p);
        return e;
    }
    *out = p;
    return ERR_OK;
}

void poll_close(struct poll *p)
{
    if (!p)
        return;
    if (p->under_way)
        (void)curl_multi_remove_handle(p->multi, p->easy);
    (void)curl_multi_cleanup(p->multi);
    curl_easy_cleanup(p->easy);
    curl_slist_free_all(p->headers);
    curl_global_cleanup();
    free(p);
}

enum err poll_begin(struct poll *p, const char *path, const char *body,
                    unsigned timeout_ms, struct why *why)
{
    if (p->under_way)
        return err_set(why, ERR_BUSY, "%s is under way", p->url);
    (void)snprintf(p->url, sizeof p->url, "%s%s", p->base, path);
    p->len = 0;
    p->too_long = false;
    p->error[0] = '\0';
    CURLcode code = curl_easy_setopt(p->easy, CURLOPT_URL, p->url);
    if (!code && body)
        code = curl_easy_setopt(p->easy, CURLOPT_COPYPOSTFIELDS, body);
    if (!code && !body)
        code = curl_easy_setopt(p->easy, CURLOPT_HTTPGET, 1L);
    if (!code)
        code = curl_easy_setopt(p->easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    if (code)
        return from_curl(p, code, why);
    CURLMcode added = curl_multi_add_handle(p->multi, p->easy);
    if (added)
        return err_set(why, ERR_INTERNAL, "%s: %s", p->url,
                       curl_multi_strerror(added));
    p->under_way = true;
    return ERR_OK;
}

void poll_wait(struct poll *p, int fd, int timeout_ms)
{
    struct curl_waitfd extra = {.fd = fd, .events = CURL_WAIT_POLLIN};
    struct pollfd alone = {.fd = fd, .events = POLLIN};
    if (!p || curl_multi_poll(p->multi, &extra, 1, timeout_ms, NULL))
        (void)poll(&alone, 1, timeout_ms);
}

/* The end of the transfer under way, if it has come. */
static bool ended(struct poll *p, CURLcode *code)
{
    int left = 0;
    const CURLMsg *m = NULL;
    while ((m = curl_multi_info_read(p->multi, &left)))
        if (m->msg == CURLMSG_DONE) {
            *code = m->data.result;
            return true;
        }
    return false;
}

enum err poll_end(struct poll *p, long *status, const char **body, size_t *len,
                  struct why *why)
{
    int running = 0;
    CURLcode code = CURLE_OK;
    if (!p->under_way)
        return err_set(why, ERR_AGAIN, "no exchange is under way");
    CURLMcode moved = curl_multi_perform(p->multi, &running);
    if (!moved && !ended(p, &code))
        return err_set(why, ERR_AGAIN, "%s is under way", p->url);
    (void)curl_multi_remove_handle(p->multi, p->easy);
    p->under_way = false;
    if (moved)
        return err_set(why, ERR_INTERNAL, "%s: %s", p->url,
                       curl_multi_strerror(moved));
    (void)curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, status);
    if (p->too_long)
        return err_set(why, ERR_RANGE, "%s: more than %u bytes came", p->url,
                       POLL_BODY_MAX);
    if (code)
        return from_curl(p, code, why);
    *body = p->body;
    *len = p->len;
    return ERR_OK;
}

const char *poll_body(const struct poll *p, size_t *len)
{
    *len = p->len;
    return p->body;
}

uint16_t poll_local_port(const struct poll *p)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a = {0};
    socklen_t size = sizeof a;
    if (p->fd < 0 || getsockname(p->fd, &a.any, &size))
        return 0;
    return ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}
