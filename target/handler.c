#include "target/handler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/json_place.h"
#include "target/answer.h"
#include "target/cat.h"
#include "target/meta.h"
#include "target/stats.h"

/* One answer in the making. */
struct answering {
    const struct handler *h;
    const struct decoder *d;
    const struct route *route;
    struct out out;
    unsigned status;
    bool plain;
};

static void fail(struct answering *a, unsigned status, const char *type,
                 const char *reason)
{
    a->status = status;
    answer_error(&a->out, status, type, reason);
}

static void no_such_index(struct answering *a)
{
    fail(a, 404, "index_not_found_exception", "no such index");
}

static void create_index(struct answering *a)
{
    const char *name = a->route->index, *fault;
    char reason[512];
    if (!route_index_name_good(name, &fault)) {
        (void)snprintf(reason, sizeof reason, "Invalid index name [%s], %s",
                       name, fault);
        fail(a, 400, "invalid_index_name_exception", reason);
        return;
    }
    switch ((int)catalog_add(a->h->node->catalog, name, strlen(name))) {
    case ERR_OK:
        answer_created(&a->out, name);
        return;
    case ERR_EXISTS:
        (void)snprintf(reason, sizeof reason, "index [%s] already exists",
                       name);
        fail(a, 400, "resource_already_exists_exception", reason);
        return;
    default:
        (void)snprintf(reason, sizeof reason,
                       "Validation Failed: 1: there are %u indices already;",
                       CATALOG_MAX);
        fail(a, 400, "validation_exception", reason);
    }
}

static void delete_index(struct answering *a)
{
    if (catalog_remove(a->h->node->catalog, a->route->index))
        no_such_index(a);
    else
        answer_acknowledged(&a->out);
}

static void exists(struct answering *a)
{
    if (!catalog_has(a->h->node->catalog, a->route->index))
        a->status = 404;
}

static void shards(struct answering *a)
{
    const char *name = a->route->index;
    if (name[0] && !catalog_has(a->h->node->catalog, name))
        no_such_index(a);
    else
        answer_shards(&a->out);
}

/* Statistics are read as native: their locks may be held by who waits for us
 * to come to a safepoint. */
static void statistics(struct answering *a)
{
    struct stats s;
    heap_native_enter(a->h->mutator);
    stats_read(a->h->node, &s);
    heap_native_leave(a->h->mutator);
    switch ((int)a->route->kind) {
    case ROUTE_NODES:
        stats_write_node(&s, &a->out);
        break;
    case ROUTE_NODES_STATS:
        stats_write_nodes(&s, &a->out);
        break;
    case ROUTE_CLUSTER_STATS:
        stats_write_cluster(&s, &a->out);
        break;
    case ROUTE_STATS:
        stats_write_indices(&s, &a->out);
        break;
    default:
        stats_write_pitwall(&s, &a->out);
    }
}

/* --index none keeps no shards. */
static void health(struct answering *a)
{
    struct census_counts sum = {0};
    struct indices *all = a->h->node->indices;
    heap_native_enter(a->h->mutator);
    if (all)
        census_sum(all, &sum);
    heap_native_leave(a->h->mutator);
    answer_health(&a->out, sum.shards);
}

static void cat(struct answering *a)
{
    const struct request *r = &a->d->request;
    struct cat c = cat_of(&a->out, r->target, r->target_len);
    struct stats s;
    heap_native_enter(a->h->mutator);
    stats_read(a->h->node, &s);
    heap_native_leave(a->h->mutator);
    a->plain = !c.json;
    if (a->route->kind == ROUTE_CAT_HEALTH)
        cat_health(&c, s.kept.shards, s.wall_ns / NS_PER_S);
    else
        cat_nodes(&c, s.heap.used_bytes * 100 / s.heap.heap_bytes);
}

/* What was sent, into to; its length, CLUSTER_BODY_MAX + 1 when longer. */
static size_t small_body(const struct answering *a,
                         char to[CLUSTER_BODY_MAX + 1])
{
    const struct request *r = &a->d->request;
    size_t len =
        body_peek(&a->d->body, a->h->mutator, to, CLUSTER_BODY_MAX + 1);
    if (!len) {
        len = r->small_len;
        memcpy(to, r->small, len);
    }
    return len;
}

static void cluster_settings(struct answering *a)
{
    char text[CLUSTER_BODY_MAX + 1];
    struct cluster *cluster = a->h->node->cluster;
    struct why why = {0};
    enum err e = ERR_OK;
    bool put = a->d->request.method == HTTP1_PUT;
    size_t len = put ? small_body(a, text) : 0;
    heap_native_enter(a->h->mutator);
    if (!put)
        cluster_show(cluster, &a->out);
    else if (len > CLUSTER_BODY_MAX)
        e = err_set(&why, ERR_RANGE, "the body is larger than %u bytes",
                    CLUSTER_BODY_MAX);
    else
        e = cluster_put(cluster, text, len, &a->out, &why);
    heap_native_leave(a->h->mutator);
    if (e)
        fail(a, e == ERR_NOMEM ? 429 : 400,
             e == ERR_NOMEM ? "circuit_breaking_exception"
                            : "illegal_argument_exception",
             why.text);
}

/* Without an index they are kept and shown, and nothing is made of them. */
static void templates(struct answering *a)
{
    char text[CLUSTER_BODY_MAX + 1], *answer = NULL;
    size_t answer_len = 0, len = small_body(a, text);
    struct why why = {0};
    const struct meta m = {.templates = a->h->node->templates,
                           .route = a->route,
                           .method = a->d->request.method,
                           .body = text,
                           .body_len = len};
    heap_native_enter(a->h->mutator);
    FILE *out = open_memstream(&answer, &answer_len);
    enum err e = !out || len > CLUSTER_BODY_MAX
                     ? err_set(&why, ERR_RANGE,
                               "with --index none a template has at most %u "
                               "bytes",
                               CLUSTER_BODY_MAX)
                     : meta_answer(&m, out, &a->status, &why);
    if (out && fclose(out) && !e)
        e = err_set(&why, ERR_NOMEM, "no memory for a template");
    if (!e && answer_len >= HANDLER_TEXT_MAX - a->out.len)
        e = err_set(&why, ERR_RANGE, "the templates are too many to show");
    if (!e)
        out_raw(&a->out, answer, answer_len);
    heap_native_leave(a->h->mutator);
    free(answer);
    if (e)
        fail(a, e == ERR_NOTFOUND ? 404 : 400,
             e == ERR_NOTFOUND ? "resource_not_found_exception"
                               : "illegal_argument_exception",
             why.text);
}

static enum err set_window(const struct handler *h, const char *text,
                           size_t len, struct why *why)
{
    static const char *const keys[] = {"t0_ns", "t1_ns", NULL};
    struct jv *v = NULL;
    enum err e = jv_parse(&v, "window", text, len, why);
    if (!e)
        e = jv_only(v, keys, why);
    if (!e)
        e = gauge_set(h->node->gauge, jv_u64(jv_get(v, "t0_ns"), 0),
                      jv_u64(jv_get(v, "t1_ns"), 0), clock_mono_ns(), why);
    jv_free(v);
    return e;
}

static void window(struct answering *a)
{
    const struct request *r = &a->d->request;
    char text[DECODER_SMALL_MAX];
    struct why why = {0};
    size_t len = body_peek(&a->d->body, a->h->mutator, text, sizeof text);
    if (!len) {
        len = r->small_len;
        memcpy(text, r->small, len);
    }
    heap_native_enter(a->h->mutator);
    enum err e = set_window(a->h, text, len, &why);
    node_wake(a->h->node);
    heap_native_leave(a->h->mutator);
    if (e)
        fail(a, 400, "illegal_argument_exception", why.text);
    else
        answer_acknowledged(&a->out);
}

static void write_answer(struct answering *a)
{
    const struct request *r = &a->d->request;
    switch (a->route->kind) {
    case ROUTE_BANNER:
        answer_banner(&a->out);
        break;
    case ROUTE_NODES:
    case ROUTE_NODES_STATS:
    case ROUTE_CLUSTER_STATS:
    case ROUTE_STATS:
    case ROUTE_PITWALL_STATS:
        statistics(a);
        break;
    case ROUTE_HEALTH:
        health(a);
        break;
    case ROUTE_CLUSTER_SETTINGS:
        cluster_settings(a);
        break;
    case ROUTE_TEMPLATE:
    case ROUTE_TEMPLATE_INDEX:
    case ROUTE_TEMPLATE_COMPONENT:
        templates(a);
        break;
    case ROUTE_INDEX_CREATE:
        create_index(a);
        break;
    case ROUTE_INDEX_DELETE:
        delete_index(a);
        break;
    case ROUTE_INDEX_EXISTS:
        exists(a);
        break;
    case ROUTE_REFRESH:
    case ROUTE_FLUSH:
    case ROUTE_FORCE_MERGE:
        shards(a);
        break;
    case ROUTE_SEARCH:
    case ROUTE_SCROLL:
    case ROUTE_SCROLL_END:
    case ROUTE_COUNT:
    case ROUTE_INDEX_SHOW:
    case ROUTE_SETTINGS:
    case ROUTE_MAPPING:
    case ROUTE_DOC:
    case ROUTE_DOC_ADD:
    case ROUTE_DOC_CREATE:
    case ROUTE_CAT_INDICES:
    case ROUTE_CAT_COUNT:
        fail(a, 400, "illegal_argument_exception",
             "this target runs with --index none: it keeps no documents and "
             "no settings");
        break;
    case ROUTE_CAT_HEALTH:
    case ROUTE_CAT_NODES:
        cat(a);
        break;
    case ROUTE_PITWALL_WINDOW:
        window(a);
        break;
    case ROUTE_BULK:
    case ROUTE_METHOD:
    case ROUTE_NONE:
        a->status = answer_no_route(&a->out, a->route, r->method, r->target,
                                    r->target_len);
        break;
    }
}

static bool finish(const struct answering *a, struct reply *reply, bool no_body,
                   bool close)
{
    if (!reply_from(reply, a->h->node->pages, a->h->mutator, &a->out))
        return false;
    reply->no_body = no_body;
    reply->plain = a->plain;
    reply_seal(reply, a->status, "", close);
    return true;
}

static struct answering begin(const struct handler *h)
{
    return (struct answering){
        .h = h, .out = out_to(h->text, HANDLER_TEXT_MAX), .status = 200};
}

bool handler_answer(const struct handler *h, const struct decoder *d,
                    const struct route *route, struct reply *reply, bool close)
{
    struct answering a = begin(h);
    a.d = d;
    a.route = route;
    write_answer(&a);
    return finish(&a, reply, d->request.method == HTTP1_HEAD, close);
}

bool handler_refuse(const struct handler *h, struct reply *reply,
                    unsigned status, const char *type, const char *reason)
{
    struct answering a = begin(h);
    fail(&a, status, type, reason);
    return finish(&a, reply, false, true);
}

bool handler_reject(const struct handler *h, struct reply *reply, bool close)
{
    struct answering a = begin(h);
    a.status = 429;
    answer_rejected(&a.out, h->node->settings->bulk_threads,
                    h->node->settings->bulk_queue);
    return finish(&a, reply, false, close);
}
