/* The curl engine: lanes on libcurl, in groups, on one epoll set. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/curl_group.h"
#include "load/dial.h"

static void curl_close(struct engine *engine)
{
    if (!engine)
        return;
    for (uint32_t i = 0; engine->lanes && i < engine->config.n_lanes; i++)
        curl_lane_fini(&engine->lanes[i]);
    curl_group_close(engine);
    if (engine->epoll_fd >= 0)
        (void)close(engine->epoll_fd);
    curl_slist_free_all(engine->resolve);
    curl_pool_fini(&engine->pool);
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
    bool global = curl_pool_global();
    engine->config = *config;
    /* TLS, HTTP/2 and some proxies leave it data that it reads at once. */
    engine->reads_once =
        !config->address->tls && !config->http.http2 && !config->http.proxy;
    engine->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (engine->epoll_fd < 0)
        e = err_errno(why, errno, "epoll_create1");
    engine->lanes = calloc(config->n_lanes, sizeof *engine->lanes);
    engine->queue = calloc(config->n_lanes, sizeof(struct curl_lane *));
    if (!e &&
        (!global || !engine->lanes || !engine->queue || !base_set(engine)))
        e = err_set(why, ERR_NOMEM, "connections: out of memory");
    for (uint32_t i = 0; !e && i < config->n_lanes; i++)
        e = curl_lane_init(&engine->lanes[i], engine, i, why);
    if (!e)
        e = curl_group_open(engine, why);
    if (e) {
        curl_close(engine);
        return e;
    }
    *out = engine;
    return ERR_OK;
}

static enum err curl_connect(struct engine *engine, uint32_t lane,
                             struct why *why)
{
    struct curl_lane *l = &engine->lanes[lane];
    const struct engine_config *config = &engine->config;
    enum err e = ERR_OK;
    if (!config->http.proxy) {
        e = dial(&l->ready_fd, config->address, config->congestion, why);
        engine->stats.connects += !e;
    }
    if (!e && (config->address->tls || config->http.proxy))
        e = curl_lane_connect(l, why);
    return e;
}

static void curl_submit(struct engine *engine, uint32_t lane,
                        const struct engine_request *request)
{
    struct curl_lane *l = &engine->lanes[lane];
    l->request = request;
    if (l->queued)
        return;
    l->queued = true;
    engine->queue[engine->n_queue++] = l;
}

/* Begin what was submitted. Who is told may submit and queue again, in a place
 * that was read already, and what it does may be due: true then. */
static bool begin_queue(struct engine *engine)
{
    bool told = false;
    size_t n = engine->n_queue;
    engine->n_queue = 0;
    for (size_t i = 0; i < n; i++) {
        struct curl_lane *l = engine->queue[i];
        l->queued = false;
        if (l->request && !l->begun && !curl_lane_begin(l)) {
            curl_lane_tell(l, NULL);
            told = true;
        }
    }
    return told;
}

static uint64_t curl_wait(struct engine *engine, uint64_t now_ns,
                          uint64_t until_ns)
{
    struct curl_pool *before = curl_pool_use(&engine->pool);
    bool told = begin_queue(engine);
    uint64_t woke_ns = curl_group_wait(engine, now_ns, until_ns, told);
    (void)curl_pool_use(before);
    return woke_ns;
}

static void curl_cancel(struct engine *engine, uint32_t lane, const char *text)
{
    struct curl_lane *l = &engine->lanes[lane];
    if (l->request)
        curl_lane_tell(l, text);
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
