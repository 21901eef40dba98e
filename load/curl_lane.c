/* One lane on libcurl: its connection and its requests, one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/curl_group.h"
#include "load/curl_sock.h"

/* Larger ones are allocated anew for each request, and the heap grows and
 * shrinks with them. */
#define UPLOAD_BYTES    (256L << 10)
#define CONNECT_MS      5000L
#define CONNECT_WAIT_NS (10 * NS_PER_S) /* libcurl's own timer comes first */
#define IDLE_MAX_S      1000000L        /* of a kept connection: no matter */

#define SET(easy, option, value) (!curl_easy_setopt(easy, option, value))

static uint64_t request_size(const struct curl_lane *l)
{
    long bytes = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_REQUEST_SIZE, &bytes);
    return (uint64_t)bytes;
}

static void tell_head(struct curl_lane *l)
{
    const struct engine_config *config = &l->engine->config;
    long status = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
    l->status = (unsigned)status;
    l->told_head = true;
    config->events->head(config->ctx, l->lane, l->status);
}

/* The first piece that libcurl has taken out of what it read tells when that
 * was: the others wait for it to take the first apart, which is its own time.
 * Where it may have read again since, the last piece tells. */
static void note_read(struct curl_lane *l)
{
    const struct engine *engine = l->engine;
    if (l->read_at == engine->calls && engine->reads_once)
        return;
    l->read_at = engine->calls;
    l->read_ns = clock_mono_ns();
}

static size_t take_head(char *data, size_t size, size_t n, void *ctx)
{
    (void)data;
    note_read(ctx);
    return size * n;
}

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
    struct curl_lane *l = ctx;
    const struct engine_config *config = &l->engine->config;
    note_read(l);
    if (!l->told_head)
        tell_head(l);
    config->events->body(config->ctx, l->lane, data, size * n);
    l->received_bytes += size * n;
    return size * n;
}

/* The connection is there, and the request is about to be made and sent. */
static int about_to_send(void *ctx, char *peer, char *own, int peer_port,
                         int own_port)
{
    (void)peer;
    (void)own;
    (void)peer_port;
    (void)own_port;
    struct curl_lane *l = ctx;
    l->sent_ns = clock_mono_ns();
    return CURL_PREREQFUNC_OK;
}

static bool tls_set(const struct engine_http *http, CURL *easy)
{
    long verify = !http->insecure;
    return SET(easy, CURLOPT_SSL_VERIFYPEER, verify) &&
           SET(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L) &&
           (!http->ca_file || SET(easy, CURLOPT_CAINFO, http->ca_file));
}

static bool set_common(const struct engine *engine, CURL *easy)
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

enum err curl_lane_init(struct curl_lane *l, struct engine *engine,
                        uint32_t lane, struct why *why)
{
    *l = (struct curl_lane){.engine = engine,
                            .lane = lane,
                            .ready_fd = -1,
                            .easy = curl_easy_init(),
                            .url = curl_url()};
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        l->socks[i].fd = -1;
    if (l->easy && l->url && set_common(engine, l->easy) && curl_sock_set(l) &&
        SET(l->easy, CURLOPT_CURLU, l->url) &&
        SET(l->easy, CURLOPT_ERRORBUFFER, l->error) &&
        SET(l->easy, CURLOPT_PREREQFUNCTION, about_to_send) &&
        SET(l->easy, CURLOPT_PREREQDATA, l) &&
        SET(l->easy, CURLOPT_HEADERFUNCTION, take_head) &&
        SET(l->easy, CURLOPT_HEADERDATA, l) &&
        SET(l->easy, CURLOPT_WRITEFUNCTION, take_body) &&
        SET(l->easy, CURLOPT_WRITEDATA, l))
        return ERR_OK;
    return err_set(why, ERR_NOMEM, "connections: out of memory");
}

static void leave(struct curl_lane *l)
{
    if (l->begun)
        (void)curl_multi_remove_handle(l->group->multi, l->easy);
    l->begun = false;
    curl_sock_sending(l, false);
}

void curl_lane_fini(struct curl_lane *l)
{
    if (!l->engine)
        return;
    leave(l);
    curl_easy_cleanup(l->easy);
    curl_slist_free_all(l->headers);
    curl_url_cleanup(l->url);
    if (l->ready_fd >= 0)
        (void)close(l->ready_fd);
    free(l->key);
}

static bool enter(struct curl_lane *l)
{
    l->begun = !curl_multi_add_handle(l->group->multi, l->easy);
    return l->begun;
}

bool curl_lane_begin(struct curl_lane *l)
{
    uint32_t most = l->engine->config.requests_per_connection;
    bool last = most && l->answered + 1 >= most;
    l->told_head = l->again = l->took = l->dialed = false;
    l->result = CURLE_OUT_OF_MEMORY;
    l->error[0] = 0;
    l->sent_ns = l->read_at = 0;
    l->received_bytes = 0;
    return curl_head_set(l) &&
           (!most || SET(l->easy, CURLOPT_FORBID_REUSE, last ? 1L : 0L)) &&
           enter(l);
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

/* A connection made for the request, which may have been its first. */
static void count_connect(struct curl_lane *l)
{
    curl_off_t connect_us = 0;
    if (l->dialed)
        (void)curl_easy_getinfo(l->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
    l->engine->stats.connects += connect_us != 0;
}

/* How much of the request was sent, in HTTP/2 with the head as we have it. */
static uint64_t sent_bytes(const struct curl_lane *l)
{
    curl_off_t up = 0;
    if (l->request->body_bytes)
        (void)curl_easy_getinfo(l->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    return request_size(l) || up ? l->request->head_bytes + (uint64_t)up : 0;
}

static struct engine_answer answer_of(struct curl_lane *l, const char *text)
{
    count_connect(l);
    if (!text && (l->result || l->again || !l->status))
        text = text_of(l);
    if (!text && !version_good(l))
        text = "the answer is not HTTP/2";
    struct engine_answer a = {.outcome = ENGINE_ANSWERED,
                              .sent_bytes = l->begun ? sent_bytes(l) : 0,
                              .done_ns = clock_mono_ns(),
                              .received_bytes = l->received_bytes,
                              .text = text};
    if (!text && l->read_at == l->engine->calls)
        a.done_ns = l->read_ns; /* libcurl took its time since */
    if (text)
        a.outcome = a.sent_bytes ? ENGINE_LOST : ENGINE_UNSENT;
    else
        a.status = l->status;
    if (a.sent_bytes)
        a.sent_ns = l->sent_ns;
    return a;
}

void curl_lane_tell(struct curl_lane *l, const char *text)
{
    const struct engine_config *config = &l->engine->config;
    if (!text && !l->result && !l->told_head)
        tell_head(l);
    struct engine_answer a = answer_of(l, text);
    a.given_up = text;
    leave(l);
    l->answered = curl_sock_connected(l) ? l->answered + 1 : 0;
    l->request = NULL;
    config->events->answer(config->ctx, l->lane, &a);
}

void curl_lane_over(struct curl_lane *l, CURLcode result)
{
    l->result = result;
    l->over = true;
    if (l->request)
        curl_lane_tell(l, NULL);
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

/* libcurl connects within a request alone. This one has a condition of a time
 * that is none, which is found when its head is made: nothing is sent, the
 * transfer fails, and the connection stays for the next. */
static bool set_hopeless(struct curl_lane *l, bool hopeless)
{
    return SET(l->easy, CURLOPT_TIMECONDITION,
               hopeless ? (long)CURL_TIMECOND_IFMODSINCE
                        : (long)CURL_TIMECOND_NONE) &&
           SET(l->easy, CURLOPT_TIMEVALUE_LARGE,
               hopeless ? (curl_off_t)INT64_MAX : 0);
}

enum err curl_lane_connect(struct curl_lane *l, struct why *why)
{
    struct engine *engine = l->engine;
    uint64_t now_ns = clock_mono_ns(), due_ns = now_ns + CONNECT_WAIT_NS;
    l->over = false;
    l->result = CURLE_OUT_OF_MEMORY;
    if (curl_head_set_url(l, engine->base) && set_hopeless(l, true) && enter(l))
        l->result = CURLE_OPERATION_TIMEDOUT;
    while (l->begun && !l->over && now_ns < due_ns) {
        (void)curl_group_wait(engine, now_ns, due_ns, false);
        now_ns = clock_mono_ns();
    }
    count_connect(l);
    leave(l);
    if (l->over && l->sent_ns)
        return set_hopeless(l, false)
                   ? ERR_OK
                   : err_set(why, ERR_NOMEM, "connections: out of memory");
    return err_set(why, from_curl(l->result), "connect %s: %s", engine->base,
                   *l->error ? l->error : curl_easy_strerror(l->result));
}
