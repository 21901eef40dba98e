/* The loop of the curl engine: one epoll set for all lanes' sockets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/curl.h"
#include "load/dial.h"
#include "load/epoll.h"

#define EVENTS_MAX 64
/* Timers that are not due at once guard against stalls: they may be late. */
#define TIMERS_NS (10 * NS_PER_MS)

static void curl_close(struct engine *engine)
{
    if (!engine)
        return;
    for (uint32_t i = 0; engine->lanes && i < engine->config.n_lanes; i++)
        curl_lane_fini(&engine->lanes[i]);
    if (engine->epoll_fd >= 0)
        (void)close(engine->epoll_fd);
    curl_slist_free_all(engine->resolve);
    free(engine->lanes);
    free(engine->queue);
    free(engine);
    curl_global_cleanup();
}

/* Plain http goes to the address, the Host header says the name; TLS checks the
 * name and a proxy wants it, so there libcurl is told the address. */
static bool base_set(struct engine *engine)
{
    char pin[ADDRESS_HOST_MAX + 128];
    const struct address *to = engine->config.address;
    bool named = to->tls || !to->len;
    (void)snprintf(engine->base, sizeof engine->base, "%s://%s",
                   to->tls ? "https" : "http", named ? to->host : to->text);
    bool literal =
        !strncmp(to->text + (*to->text == '['), to->name, strlen(to->name));
    if (named || literal)
        (void)snprintf(engine->own_host, sizeof engine->own_host, "Host: %s",
                       to->host);
    if (!named || !to->len || strchr(to->name, ':'))
        return true;
    size_t ip_bytes = strlen(to->text) - strlen(to->port) - 1;
    (void)snprintf(pin, sizeof pin, "%s:%s:%.*s", to->name, to->port,
                   (int)ip_bytes, to->text);
    engine->resolve = curl_slist_append(NULL, pin);
    return engine->resolve;
}

/* Before 8.0 libcurl fails on the second request of a plain HTTP/2 connection
 * (its issue 10634). */
static enum err check_version(const struct engine_config *config,
                              struct why *why)
{
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);
    if (config->http.http2 && !config->address->tls &&
        v->version_num < 0x080000)
        return err_set(why, ERR_UNSUPPORTED,
                       "--http2: libcurl %s here keeps no HTTP/2 connection "
                       "over http://; accepted: an https:// URL",
                       v->version);
    return ERR_OK;
}

static enum err curl_open(struct engine **out,
                          const struct engine_config *config, struct why *why)
{
    *out = NULL;
    enum err e = check_version(config, why);
    if (e)
        return e;
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return err_set(why, ERR_NOMEM, "connections: out of memory");
    CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
    engine->config = *config;
    engine->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (engine->epoll_fd < 0)
        e = err_errno(why, errno, "epoll_create1");
    engine->lanes = calloc(config->n_lanes, sizeof *engine->lanes);
    engine->queue = calloc(config->n_lanes, sizeof(struct curl_lane *));
    if (!e && (global || !engine->lanes || !engine->queue || !base_set(engine)))
        e = err_set(why, ERR_NOMEM, "connections: out of memory");
    for (uint32_t i = 0; !e && i < config->n_lanes; i++)
        e = curl_lane_init(&engine->lanes[i], engine, i, why);
    if (e) {
        curl_close(engine);
        return e;
    }
    *out = engine;
    return ERR_OK;
}

static enum err from_curl(CURLcode code)
{
    switch ((int)code) {
    case CURLE_COULDNT_CONNECT:
        return ERR_REFUSED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return ERR_NOTFOUND;
    case CURLE_OPERATION_TIMEDOUT:
        return ERR_TIMEOUT;
    case CURLE_PEER_FAILED_VERIFICATION:
        return ERR_PERMISSION;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_NOT_BUILT_IN:
        return ERR_USAGE;
    case CURLE_OUT_OF_MEMORY:
        return ERR_NOMEM;
    default:
        return ERR_IO;
    }
}

/* Connect and shake hands once without a request, on a connection that is then
 * dropped: what is wrong with certificates or a proxy is said before the load.
 */
static enum err try_out(const struct engine *engine, struct why *why)
{
    char error[CURL_ERROR_SIZE] = "";
    CURL *easy = curl_easy_init();
    if (!easy)
        return err_set(why, ERR_NOMEM, "connections: out of memory");
    CURLcode code = CURLE_OUT_OF_MEMORY;
    if (curl_lane_common(engine, easy) &&
        !curl_easy_setopt(easy, CURLOPT_URL, engine->base) &&
        !curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error) &&
        !curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L))
        code = curl_easy_perform(easy);
    curl_easy_cleanup(easy);
    if (!code)
        return ERR_OK;
    return err_set(why, from_curl(code), "connect %s: %s", engine->base,
                   *error ? error : curl_easy_strerror(code));
}

static enum err curl_connect(struct engine *engine, uint32_t lane,
                             struct why *why)
{
    struct curl_lane *l = &engine->lanes[lane];
    const struct engine_config *config = &engine->config;
    enum err e = ERR_OK;
    if (!lane && (config->address->tls || config->http.proxy))
        e = try_out(engine, why);
    if (e || config->http.proxy)
        return e;
    e = dial(&l->ready_fd, config->address, config->congestion, why);
    engine->stats.connects += !e;
    return e;
}

static void curl_submit(struct engine *engine, uint32_t lane,
                        const struct engine_request *request)
{
    struct curl_lane *l = &engine->lanes[lane];
    l->request = request;
    curl_lane_submit(l);
    if (l->over && !l->queued) {
        l->queued = true;
        engine->queue[engine->n_queue++] = l;
    }
}

static void tell_if_over(struct curl_lane *l)
{
    if (l->request && l->over && !l->queued)
        curl_lane_tell(l, NULL);
}

/* What ended while it was submitted. Who is told may submit and queue again, in
 * a place that was read already. */
static bool tell_queue(struct engine *engine)
{
    size_t n = engine->n_queue;
    engine->n_queue = 0;
    for (size_t i = 0; i < n; i++) {
        struct curl_lane *l = engine->queue[i];
        l->queued = false;
        tell_if_over(l);
    }
    return n;
}

static bool look_at_timers(struct engine *engine, uint64_t now_ns)
{
    bool told = false;
    if (now_ns - engine->timers_ns < TIMERS_NS)
        return false;
    engine->timers_ns = now_ns;
    for (uint32_t i = 0; i < engine->config.n_lanes; i++) {
        struct curl_lane *l = &engine->lanes[i];
        if (!l->request || l->over || l->timer_ns > now_ns)
            continue;
        curl_lane_act(l, CURL_SOCKET_TIMEOUT, 0);
        told = told || l->over;
        tell_if_over(l);
    }
    return told;
}

static void handle(struct engine *engine, const struct epoll_event *event)
{
    struct curl_lane *l = &engine->lanes[event->data.u64 >> 32];
    int fd = (int)(event->data.u64 & 0xffffffff), what = 0;
    struct curl_sock *sock = curl_lane_sock(l, fd);
    uint32_t failed = event->events & (EPOLLERR | EPOLLHUP);
    if (!sock)
        return;
    if (!sock->wanted || !(failed || event->events & sock->wanted)) {
        curl_lane_unwanted(l, sock);
        return;
    }
    if (event->events & EPOLLIN)
        what |= CURL_CSELECT_IN;
    if (event->events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
    if (failed)
        what |= CURL_CSELECT_ERR;
    curl_lane_act(l, fd, what);
    tell_if_over(l);
}

static uint64_t curl_wait(struct engine *engine, uint64_t now_ns,
                          uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MAX];
    uint64_t left_ns = 0;
    /* Who is told may have work that is due before until_ns: no sleep then. */
    bool told = tell_queue(engine);
    told = look_at_timers(engine, now_ns) || told;
    if (until_ns > now_ns && !told)
        left_ns = until_ns - now_ns;
    int n = epoll_await(engine->epoll_fd, events, EVENTS_MAX, left_ns);
    uint64_t woke_ns = clock_mono_ns();
    for (int i = 0; i < n; i++)
        handle(engine, &events[i]);
    return woke_ns;
}

static void curl_cancel(struct engine *engine, uint32_t lane, const char *text)
{
    struct curl_lane *l = &engine->lanes[lane];
    if (l->request)
        curl_lane_tell(l, l->over ? NULL : text);
}

static struct engine_stats curl_stats(const struct engine *engine,
                                      uint64_t now_ns)
{
    struct engine_stats stats = engine->stats;
    if (engine->n_sending && now_ns > engine->sending_ns)
        stats.send_blocked_ns += now_ns - engine->sending_ns;
    return stats;
}

const struct engine_ops engine_curl = {.name = "curl",
                                       .open = curl_open,
                                       .close = curl_close,
                                       .connect = curl_connect,
                                       .submit = curl_submit,
                                       .wait = curl_wait,
                                       .cancel = curl_cancel,
                                       .stats = curl_stats};
