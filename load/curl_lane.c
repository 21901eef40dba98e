/* One lane on libcurl. What is made sure of (libcurl 7.88):
 *
 * - libcurl sends a request again, POST too, when a kept connection ends before
 *   the first byte of the answer, and no option forbids it. It needs a second
 *   connection for that, which open_socket denies once a byte of the request
 *   has gone out: the request is LOST, as with the raw engine, and nothing is
 *   sent twice. Where not a byte had gone out the new connection is right.
 * - A transfer may end within any call: what ended is looked for after each.
 * - Timers of 0 ms are served at once, not through the loop.
 * - A socket that libcurl needs no more stays in the epoll set, for the next
 *   request waits for the same. close_socket tells when it is really gone.
 * - No "Expect: 100-continue", whose answer POSTs would wait a second for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/curl.h"
#include "load/dial.h"
#include "load/http_head.h"

/* Larger ones are allocated anew for each request, and the heap grows and
 * shrinks with them. */
#define UPLOAD_BYTES (256L << 10)
#define CONNECT_MS   5000L
#define IDLE_MAX_S   1000000L /* of a kept connection: no matter */

#define SET(easy, option, value) (!curl_easy_setopt(easy, option, value))

struct curl_sock *curl_lane_sock(struct curl_lane *l, int fd)
{
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        if (l->socks[i].fd == fd)
            return &l->socks[i];
    return NULL;
}

static struct curl_sock *sock_add(struct curl_lane *l, int fd, bool own)
{
    struct curl_sock *sock = curl_lane_sock(l, -1);
    if (sock)
        *sock = (struct curl_sock){.fd = fd, .own = own};
    return sock;
}

static uint64_t request_size(const struct curl_lane *l)
{
    long bytes = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_REQUEST_SIZE, &bytes);
    return (uint64_t)bytes;
}

static curl_socket_t open_socket(void *ctx, curlsocktype purpose,
                                 struct curl_sockaddr *to)
{
    struct curl_lane *l = ctx;
    int fd = l->ready_fd;
    l->took = fd >= 0;
    l->ready_fd = -1;
    l->answered = 0;
    if (l->took) {
        (void)sock_add(l, fd, true);
        return fd;
    }
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (request_size(l)) {
        l->again = true;
        return CURL_SOCKET_BAD;
    }
    fd = dial_socket(to->family, l->engine->config.congestion);
    if (fd < 0)
        return CURL_SOCKET_BAD;
    if (!sock_add(l, fd, true)) {
        (void)close(fd);
        return CURL_SOCKET_BAD;
    }
    return fd;
}

/* libcurl need not connect the one that was there beforehand. */
static int set_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    (void)fd;
    (void)purpose;
    const struct curl_lane *l = ctx;
    return l->took ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

static int close_socket(void *ctx, curl_socket_t fd)
{
    struct curl_lane *l = ctx;
    struct curl_sock *sock = curl_lane_sock(l, fd);
    if (sock)
        sock->fd = -1;
    return close(fd); /* leaves the epoll set with it */
}

static void watch(struct curl_lane *l, struct curl_sock *sock, uint32_t events)
{
    struct epoll_event event = {.events = events,
                                .data.u64 = (uint64_t)l->lane << 32 |
                                            (uint32_t)sock->fd};
    int op = !events            ? EPOLL_CTL_DEL
             : sock->registered ? EPOLL_CTL_MOD
                                : EPOLL_CTL_ADD;
    if (sock->registered != events)
        (void)epoll_ctl(l->engine->epoll_fd, op, sock->fd, &event);
    sock->registered = events;
}

void curl_lane_unwanted(struct curl_lane *l, struct curl_sock *sock)
{
    watch(l, sock, sock->wanted);
}

static void note_sending(struct curl_lane *l, bool sending)
{
    struct engine *engine = l->engine;
    if (l->sending == sending)
        return;
    l->sending = sending;
    if (sending && !engine->n_sending++)
        engine->sending_ns = clock_mono_ns();
    if (!sending && !--engine->n_sending)
        engine->stats.send_blocked_ns += clock_mono_ns() - engine->sending_ns;
}

/* libcurl says which events it wants. */
static int want(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    (void)easy;
    (void)unused;
    struct curl_lane *l = ctx;
    struct curl_sock *sock = curl_lane_sock(l, fd);
    if (!sock && what != CURL_POLL_REMOVE)
        sock = sock_add(l, fd, false);
    if (!sock)
        return what == CURL_POLL_REMOVE ? 0 : -1;
    sock->wanted = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        sock->wanted |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        sock->wanted |= EPOLLOUT;
    note_sending(l, sock->wanted & EPOLLOUT && request_size(l));
    if (!sock->own && !sock->wanted) {
        watch(l, sock, 0);
        sock->fd = -1;
    } else if (sock->wanted & ~sock->registered) {
        watch(l, sock, sock->wanted);
    } else if (sock->registered & EPOLLOUT & ~sock->wanted) {
        watch(l, sock, EPOLLIN);
    }
    return 0;
}

static int set_timer(CURLM *multi, long ms, void *ctx)
{
    (void)multi;
    struct curl_lane *l = ctx;
    l->timer_ns = ms < 0   ? UINT64_MAX
                  : ms > 0 ? clock_mono_ns() + (uint64_t)ms * NS_PER_MS
                           : 0;
    return 0;
}

static void tell_head(struct curl_lane *l)
{
    const struct engine_config *config = &l->engine->config;
    long status = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
    l->told_head = true;
    config->events->head(config->ctx, l->lane, (unsigned)status);
}

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
    struct curl_lane *l = ctx;
    const struct engine_config *config = &l->engine->config;
    if (!l->told_head)
        tell_head(l);
    config->events->body(config->ctx, l->lane, data, size * n);
    return size * n;
}

static bool tls_set(const struct engine_http *http, CURL *easy)
{
    long verify = !http->insecure;
    return SET(easy, CURLOPT_SSL_VERIFYPEER, verify) &&
           SET(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L) &&
           (!http->ca_file || SET(easy, CURLOPT_CAINFO, http->ca_file));
}

bool curl_lane_common(const struct engine *engine, CURL *easy)
{
    const struct engine_http *http = &engine->config.http;
    long version = !http->http2 ? CURL_HTTP_VERSION_1_1
                   : engine->config.address->tls
                       ? CURL_HTTP_VERSION_2TLS
                       : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    return tls_set(http, easy) && SET(easy, CURLOPT_NOSIGNAL, 1L) &&
           SET(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
           SET(easy, CURLOPT_PROXY, http->proxy ? http->proxy : "") &&
           SET(easy, CURLOPT_NOPROXY, "") &&
           SET(easy, CURLOPT_HTTP_VERSION, version) &&
           SET(easy, CURLOPT_TCP_NODELAY, 1L) &&
           SET(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BYTES) &&
           SET(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) &&
           SET(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L) &&
           SET(easy, CURLOPT_MAXAGE_CONN, IDLE_MAX_S) &&
           (!engine->resolve || SET(easy, CURLOPT_RESOLVE, engine->resolve));
}

static bool multi_set(struct curl_lane *l)
{
    return !curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, 1L) &&
           !curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, want) &&
           !curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l) &&
           !curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, set_timer) &&
           !curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
}

enum err curl_lane_init(struct curl_lane *l, struct engine *engine,
                        uint32_t lane, struct why *why)
{
    *l = (struct curl_lane){.engine = engine,
                            .lane = lane,
                            .ready_fd = -1,
                            .timer_ns = UINT64_MAX,
                            .multi = curl_multi_init(),
                            .easy = curl_easy_init(),
                            .url = curl_url()};
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        l->socks[i].fd = -1;
    if (l->multi && l->easy && l->url && multi_set(l) &&
        curl_lane_common(engine, l->easy) &&
        SET(l->easy, CURLOPT_CURLU, l->url) &&
        SET(l->easy, CURLOPT_ERRORBUFFER, l->error) &&
        SET(l->easy, CURLOPT_WRITEFUNCTION, take_body) &&
        SET(l->easy, CURLOPT_WRITEDATA, l) &&
        SET(l->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
        SET(l->easy, CURLOPT_OPENSOCKETDATA, l) &&
        SET(l->easy, CURLOPT_SOCKOPTFUNCTION, set_socket) &&
        SET(l->easy, CURLOPT_SOCKOPTDATA, l) &&
        SET(l->easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
        SET(l->easy, CURLOPT_CLOSESOCKETDATA, l))
        return ERR_OK;
    return err_set(why, ERR_NOMEM, "connections: out of memory");
}

void curl_lane_fini(struct curl_lane *l)
{
    if (!l->engine)
        return;
    if (l->request && l->multi)
        (void)curl_multi_remove_handle(l->multi, l->easy);
    if (l->multi)
        (void)curl_multi_cleanup(l->multi);
    curl_easy_cleanup(l->easy);
    curl_slist_free_all(l->headers);
    curl_url_cleanup(l->url);
    if (l->ready_fd >= 0)
        (void)close(l->ready_fd);
    free(l->key);
}

/* The method, and whether a body follows, though it be empty. */
static bool method_set(struct curl_lane *l, const char *method, bool body)
{
    bool head = !strcmp(method, "HEAD") && !body;
    bool usual = head || !strcmp(method, body ? "POST" : "GET");
    bool good = SET(l->easy, CURLOPT_NOBODY, 0L) &&
                (body ? SET(l->easy, CURLOPT_POST, 1L)
                      : SET(l->easy, CURLOPT_HTTPGET, 1L)) &&
                (!head || SET(l->easy, CURLOPT_NOBODY, 1L));
    return good && SET(l->easy, CURLOPT_CUSTOMREQUEST, usual ? NULL : method);
}

/* The headers of a request being made. */
struct headers {
    const struct engine *engine;
    struct curl_slist *list;
};

static bool header_add(struct headers *h, const char *line)
{
    struct curl_slist *more = curl_slist_append(h->list, line);
    h->list = more ? more : h->list;
    return more;
}

/* "Name:" would take the header away, "Name;" sends it empty. */
static bool header_keep(void *ctx, const char *line)
{
    struct headers *h = ctx;
    char empty[256];
    size_t name = strcspn(line, ":");
    if (!strcmp(line, h->engine->own_host))
        return true;
    if (line[name] &&
        strspn(line + name + 1, " \t") == strlen(line + name + 1) &&
        name + 2 <= sizeof empty) {
        (void)snprintf(empty, sizeof empty, "%.*s;", (int)name, line);
        line = empty;
    }
    return header_add(h, line);
}

/* What is wrong with it, if anything, is the request's text. */
static bool url_set(struct curl_lane *l, const char *url)
{
    CURLUcode code = curl_url_set(l->url, CURLUPART_URL, url, CURLU_PATH_AS_IS);
    if (code)
        (void)snprintf(l->error, sizeof l->error, "%s",
                       curl_url_strerror(code));
    return !code;
}

/* Set the handle up for a head, whose first line and headers were taken apart.
 */
static bool head_set(struct curl_lane *l, struct http_head_parts *parts)
{
    char url[sizeof l->engine->base + ADDRESS_PATH_MAX + 1];
    struct headers headers = {.engine = l->engine};
    size_t len = strlen(l->engine->base);
    memcpy(url, l->engine->base, len);
    memcpy(url + len, parts->path, strlen(parts->path) + 1);
    bool good = http_head_each(parts, header_keep, &headers) &&
                header_add(&headers, "Accept:") &&
                (!parts->has_length || header_add(&headers, "Expect:")) &&
                (!parts->has_length || parts->has_type ||
                 header_add(&headers, "Content-Type:")) &&
                url_set(l, url) &&
                SET(l->easy, CURLOPT_HTTPHEADER, headers.list) &&
                method_set(l, parts->method, parts->has_length);
    curl_slist_free_all(l->headers);
    l->headers = headers.list;
    l->has_body = parts->has_length;
    return good;
}

/* Heads that differ in Content-Length alone need no new set-up. */
static bool prepare(struct curl_lane *l)
{
    const struct engine_request *r = l->request;
    size_t bytes = http_head_common(r->head, r->head_bytes);
    if (!l->key || l->key_bytes != bytes || memcmp(l->key, r->head, bytes)) {
        struct http_head_parts parts;
        bool good = http_head_take(&parts, r->head, r->head_bytes) &&
                    head_set(l, &parts);
        free(parts.text);
        free(l->key);
        l->key = good ? malloc(bytes) : NULL;
        if (!l->key)
            return false;
        memcpy(l->key, r->head, bytes);
        l->key_bytes = bytes;
    }
    uint32_t most = l->engine->config.requests_per_connection;
    bool last = most && l->answered + 1 >= most;
    /* Setting a body makes it a POST. */
    return SET(l->easy, CURLOPT_FORBID_REUSE, last ? 1L : 0L) &&
           (!l->has_body ||
            (SET(l->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                 (curl_off_t)r->body_bytes) &&
             SET(l->easy, CURLOPT_POSTFIELDS, r->body_bytes ? r->body : "")));
}

static void look_for_end(struct curl_lane *l)
{
    int left;
    const CURLMsg *msg;
    while ((msg = curl_multi_info_read(l->multi, &left)))
        if (msg->msg == CURLMSG_DONE) {
            l->over = true;
            l->result = msg->data.result;
        }
}

void curl_lane_act(struct curl_lane *l, int fd, int what)
{
    int running;
    for (;;) {
        if (fd == CURL_SOCKET_TIMEOUT)
            l->timer_ns = UINT64_MAX;
        (void)curl_multi_socket_action(l->multi, fd, what, &running);
        look_for_end(l);
        if (l->over || l->timer_ns)
            return;
        fd = CURL_SOCKET_TIMEOUT;
        what = 0;
    }
}

void curl_lane_submit(struct curl_lane *l)
{
    l->over = l->told_head = l->again = l->took = false;
    l->result = CURLE_OK;
    l->error[0] = 0;
    l->begun_ns = clock_mono_ns();
    if (prepare(l) && !curl_multi_add_handle(l->multi, l->easy)) {
        curl_lane_act(l, CURL_SOCKET_TIMEOUT, 0);
        return;
    }
    l->over = true;
    l->result = CURLE_OUT_OF_MEMORY;
}

static const char *text_of(struct curl_lane *l)
{
    l->engine->stats.connects_lost +=
        l->again || l->result == CURLE_GOT_NOTHING ||
        l->result == CURLE_PARTIAL_FILE || l->result == CURLE_RECV_ERROR ||
        l->result == CURLE_SEND_ERROR;
    long number = 0;
    if (l->again)
        return "connection closed before the answer";
    switch ((int)l->result) {
    case CURLE_COULDNT_CONNECT:
        (void)curl_easy_getinfo(l->easy, CURLINFO_OS_ERRNO, &number);
        return number ? strerrordesc_np((int)number) : l->error;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
        return "connection closed before the answer";
    case CURLE_RECV_ERROR:
        return "connection reset by the peer";
    case CURLE_SEND_ERROR:
        return "connection closed while sending";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return "the answer is not HTTP/1.1";
    default:
        return *l->error ? l->error : curl_easy_strerror(l->result);
    }
}

/* Whether --http2 got what it asked for. */
static bool version_good(const struct curl_lane *l)
{
    long version = CURL_HTTP_VERSION_2_0;
    if (l->engine->config.http.http2)
        (void)curl_easy_getinfo(l->easy, CURLINFO_HTTP_VERSION, &version);
    return version == CURL_HTTP_VERSION_2_0;
}

static struct engine_answer answer_of(struct curl_lane *l, const char *text)
{
    long status = 0;
    curl_off_t before_us = 0, connect_us = 0, up = 0, down = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(l->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
    (void)curl_easy_getinfo(l->easy, CURLINFO_PRETRANSFER_TIME_T, &before_us);
    (void)curl_easy_getinfo(l->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    (void)curl_easy_getinfo(l->easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
    l->engine->stats.connects += connect_us && !l->took; /* 0: a kept one */
    if (!text && (l->result || l->again || !status))
        text = text_of(l);
    if (!text && !version_good(l))
        text = "the answer is not HTTP/2";
    bool sent = request_size(l) || up;
    struct engine_answer a = {.outcome = !text  ? ENGINE_ANSWERED
                                         : sent ? ENGINE_LOST
                                                : ENGINE_UNSENT,
                              .status = text ? 0 : (unsigned)status,
                              .done_ns = clock_mono_ns(),
                              .received_bytes = (uint64_t)down,
                              .text = text};
    if (sent) { /* the head as we have it: in HTTP/2 it is shorter */
        a.sent_bytes = l->request->head_bytes + (uint64_t)up;
        a.sent_ns = l->begun_ns + (uint64_t)before_us * 1000;
        a.sent_ns = a.sent_ns < a.done_ns ? a.sent_ns : a.done_ns;
    }
    return a;
}

static bool is_connected(const struct curl_lane *l)
{
    bool any = false;
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        any = any || (l->socks[i].fd >= 0 && l->socks[i].own);
    return any;
}

void curl_lane_tell(struct curl_lane *l, const char *text)
{
    const struct engine_config *config = &l->engine->config;
    if (!text && !l->result && !l->told_head)
        tell_head(l);
    struct engine_answer a = answer_of(l, text);
    a.given_up = text;
    (void)curl_multi_remove_handle(l->multi, l->easy);
    note_sending(l, false);
    l->answered = is_connected(l) ? l->answered + 1 : 0;
    l->timer_ns = UINT64_MAX;
    l->request = NULL;
    l->over = false;
    config->events->answer(config->ctx, l->lane, &a);
}
