#include "target/errand.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"
#include "target/answer.h"
#include "target/cat.h"
#include "target/document.h"
#include "target/meta.h"
#include "target/search.h"
#include "target/stats_index.h"

#define TEXT_BYTES 16384u /* of an answer that is no list */

/* One in the making, all of it native. */
struct doing {
    struct indices *indices;
    struct templates *templates;
    const struct request *request;
    const struct route *route;
    char *body; /* [body_len] */
    size_t body_len;
    struct index **list; /* [n] that the route names, held */
    size_t n;
    FILE *out;
    unsigned status;
    unsigned docs; /* acknowledged */
    bool plain;    /* the answer is text */
};

bool errand_is(enum route_kind kind)
{
    switch (kind) {
    case ROUTE_STATS:
    case ROUTE_INDEX_CREATE:
    case ROUTE_INDEX_DELETE:
    case ROUTE_INDEX_EXISTS:
    case ROUTE_REFRESH:
    case ROUTE_FLUSH:
    case ROUTE_FORCE_MERGE:
    case ROUTE_SEARCH:
    case ROUTE_SCROLL:
    case ROUTE_SCROLL_END:
    case ROUTE_COUNT:
    case ROUTE_INDEX_SHOW:
    case ROUTE_SETTINGS:
    case ROUTE_MAPPING:
    case ROUTE_TEMPLATE:
    case ROUTE_TEMPLATE_INDEX:
    case ROUTE_TEMPLATE_COMPONENT:
    case ROUTE_DOC:
    case ROUTE_DOC_ADD:
    case ROUTE_DOC_CREATE:
    case ROUTE_CAT_INDICES:
    case ROUTE_CAT_COUNT:
        return true;
    case ROUTE_BANNER:
    case ROUTE_BULK:
    case ROUTE_NODES_STATS:
    case ROUTE_HEALTH:
    case ROUTE_CLUSTER_SETTINGS:
    case ROUTE_PITWALL_STATS:
    case ROUTE_PITWALL_WINDOW:
    case ROUTE_NODES:
    case ROUTE_CLUSTER_STATS:
    case ROUTE_CAT_HEALTH:
    case ROUTE_CAT_NODES:
    case ROUTE_METHOD:
    case ROUTE_NONE:
        break;
    }
    return false;
}

static void write_out(struct doing *d, const struct out *o)
{
    (void)fwrite(o->buf, 1, o->len, d->out);
}

static void fail(struct doing *d, unsigned status, const char *type,
                 const char *reason)
{
    char text[TEXT_BYTES];
    struct out o = out_to(text, sizeof text);
    d->status = status;
    answer_error(&o, status, type, reason);
    rewind(d->out);
    write_out(d, &o);
}

/* A failure by its kind; what belongs to a request has its own type. */
static void fail_err(struct doing *d, enum err e, const char *type,
                     const struct why *why)
{
    switch ((int)e) {
    case ERR_NOTFOUND:
        fail(d, 404, "index_not_found_exception", "no such index");
        return;
    case ERR_EXISTS:
        fail(d, 400, "resource_already_exists_exception", why->text);
        return;
    case ERR_INVALID:
    case ERR_RANGE:
    case ERR_UNSUPPORTED:
        fail(d, 400, type, why->text);
        return;
    case ERR_NOMEM:
        fail(d, 429, "circuit_breaking_exception",
             "the limit of native memory (--native-limit) is reached");
        return;
    case ERR_NOSPACE:
        fail(d, 507, "io_exception", why->text);
        return;
    default:
        fail(d, 500, "exception", why->text);
    }
}

static void acknowledge(struct doing *d)
{
    char text[256];
    struct out o = out_to(text, sizeof text);
    answer_acknowledged(&o);
    write_out(d, &o);
}

static void create(struct doing *d)
{
    char text[1024];
    const char *name = d->route->index, *fault;
    struct creation c;
    struct why why = {0};
    if (!route_index_name_good(name, &fault)) {
        (void)snprintf(text, sizeof text, "Invalid index name [%s], %s", name,
                       fault);
        fail(d, 400, "invalid_index_name_exception", text);
        return;
    }
    enum err e = creation_parse(&c, d->body, d->body_len,
                                indices_default_shards(d->indices), &why);
    if (!e) {
        e = templates_apply(d->templates, name, &c,
                            indices_default_shards(d->indices), &why);
        if (!e)
            e = indices_create(d->indices, name, &c, &why);
        creation_free(&c);
    }
    if (e) {
        fail_err(d, e, "illegal_argument_exception", &why);
        return;
    }
    struct out o = out_to(text, sizeof text);
    answer_created(&o, name);
    write_out(d, &o);
}

static void drop(struct doing *d)
{
    struct why why = {0};
    enum err e = indices_drop(d->indices, d->route->index, &why);
    if (e)
        fail_err(d, e, "illegal_argument_exception", &why);
    else
        acknowledge(d);
}

static void meta(struct doing *d)
{
    struct why why = {0};
    const struct meta m = {.index = d->n ? d->list[0] : NULL,
                           .templates = d->templates,
                           .route = d->route,
                           .method = d->request->method,
                           .body = d->body,
                           .body_len = d->body_len};
    enum err e = meta_answer(&m, d->out, &d->status, &why);
    if (e == ERR_NOTFOUND)
        fail(d, 404, "resource_not_found_exception", why.text);
    else if (e)
        fail_err(d, e, "illegal_argument_exception", &why);
}

static void document(struct doing *d)
{
    enum http1_method m = d->request->method;
    struct why why = {0};
    const struct document doc = {.indices = d->indices,
                                 .index = d->route->index,
                                 .id = d->route->id,
                                 .body = d->body,
                                 .body_len = d->body_len};
    enum bulk_op op = d->route->kind == ROUTE_DOC_CREATE ? BULK_CREATE
                      : m == HTTP1_DELETE                ? BULK_DELETE
                                                         : BULK_INDEX;
    bool reads = m == HTTP1_GET || m == HTTP1_HEAD;
    enum err e = reads ? document_read(&doc, d->out, &d->status, &why)
                       : document_write(&doc, op, d->out, &d->status, &why);
    d->docs = !e && !reads && d->status < 300;
    if (e)
        fail_err(d, e, "mapper_parsing_exception", &why);
    else if (!reads && why.text[0])
        fail(d, d->status, "version_conflict_engine_exception", why.text);
}

/* The indices, or all their documents. */
static void cat(struct doing *d)
{
    size_t room = 1024 + d->n * (CAT_ROW + ROUTE_NAME_MAX);
    char *text = malloc(room);
    struct out o = out_to(text, text ? room : 0);
    struct cat c = cat_of(&o, d->request->target, d->request->target_len);
    uint64_t docs = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct census_counts sum = {0};
        stats_index_sum(d->list[i], &sum);
        docs += sum.docs;
    }
    if (d->route->kind == ROUTE_CAT_COUNT)
        cat_count(&c, docs, clock_wall_ns() / NS_PER_S);
    else
        cat_indices(&c, d->list, d->n);
    d->plain = !c.json;
    if (text)
        write_out(d, &o);
    free(text);
}

static void all_shards(struct doing *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += d->list[i]->n_shards;
    (void)fprintf(d->out,
                  "{\"_shards\":{\"total\":%zu,\"successful\":%zu,\"failed\":0}"
                  "}",
                  n, n);
}

static enum err max_segments(const struct doing *d, unsigned *max,
                             struct why *why)
{
    char text[32];
    uint64_t n = 1;
    if (route_param(d->request->target, d->request->target_len,
                    "max_num_segments", text, sizeof text) &&
        (units_u64(text, 1000000, &n, NULL) || n < 1))
        return err_set(why, ERR_INVALID,
                       "[max_num_segments] is a whole number above 0");
    *max = (unsigned)n;
    return ERR_OK;
}

/* Refresh, flush or force merge of every index named. */
static void maintain(struct doing *d)
{
    struct why why = {0};
    unsigned max = 1;
    enum err e = max_segments(d, &max, &why);
    for (size_t i = 0; i < d->n && !e; i++) {
        if (d->route->kind == ROUTE_REFRESH)
            e = index_refresh(d->list[i], &why);
        else if (d->route->kind == ROUTE_FLUSH)
            e = index_flush(d->list[i], &why);
        else
            e = index_merge(d->list[i], indices_crew(d->indices), max, &why);
    }
    if (e)
        fail_err(d, e, "illegal_argument_exception", &why);
    else
        all_shards(d);
}

static void scroll_on(struct doing *d)
{
    char size[16];
    struct scroll scroll;
    struct why why = {0};
    enum err e = scroll_parse(&scroll, d->body, d->body_len, &why);
    if (e) {
        fail_err(d, e, "illegal_argument_exception", &why);
        return;
    }
    struct index *x = indices_get(d->indices, scroll.index);
    if (!x) {
        fail(d, 404, "search_context_missing_exception",
             "the index of this scroll is gone");
        return;
    }
    (void)snprintf(size, sizeof size, "%u", scroll.size);
    const struct search s = {.list = &x,
                             .n = 1,
                             .body = scroll.body,
                             .body_len = scroll.body_len,
                             .size = size,
                             .scroll = &scroll};
    e = search_write(&s, d->out, &why);
    if (e)
        fail_err(d, e, "parsing_exception", &why);
    indices_put(x);
}

static void search(struct doing *d)
{
    char from[32], size[32], q[8];
    const char *target = d->request->target;
    size_t len = d->request->target_len;
    struct scroll scroll;
    struct why why = {0};
    struct search s = {
        .list = d->list, .n = d->n, .body = d->body, .body_len = d->body_len};
    if (route_param(target, len, "from", from, sizeof from))
        s.from = from;
    if (route_param(target, len, "size", size, sizeof size))
        s.size = size;
    enum err e = ERR_OK;
    if (d->route->kind == ROUTE_SEARCH &&
        route_param(target, len, "scroll", q, sizeof q))
        e = search_scroll(&s, &scroll, &why);
    if (!e && route_param(target, len, "q", q, sizeof q))
        e = err_set(&why, ERR_UNSUPPORTED,
                    "the query string [q] is not supported here, send a body");
    if (!e)
        e = d->route->kind == ROUTE_COUNT ? search_count(&s, d->out, &why)
                                          : search_write(&s, d->out, &why);
    if (e)
        fail_err(d, e, "parsing_exception", &why);
}

static void stats(struct doing *d)
{
    char level[16] = "";
    size_t shards = 0;
    for (size_t i = 0; i < d->n; i++)
        shards += d->list[i]->n_shards;
    size_t room = STATS_INDEX_ROOM(d->n, shards);
    char *text = malloc(room);
    struct out o = out_to(text, text ? room : 0);
    (void)route_param(d->request->target, d->request->target_len, "level",
                      level, sizeof level);
    if (text)
        stats_index_write(&o, d->list, d->n, !strcmp(level, "shards"));
    if (text && !o.cut)
        write_out(d, &o);
    else
        fail(d, 500, "exception", "no memory for statistics");
    free(text);
}

/* Of what takes several indices: those whose names match, perhaps none. */
static void hold_matching(struct doing *d)
{
    size_t n = 0, all = 0;
    d->list = indices_all(d->indices, &all);
    for (size_t i = 0; i < all; i++)
        if (templates_match(d->route->index, d->list[i]->name))
            d->list[n++] = d->list[i];
        else
            indices_put(d->list[i]);
    d->n = n;
}

static bool takes_several(enum route_kind kind)
{
    static const enum route_kind kinds[] = {
        ROUTE_SEARCH, ROUTE_COUNT,       ROUTE_STATS,       ROUTE_REFRESH,
        ROUTE_FLUSH,  ROUTE_FORCE_MERGE, ROUTE_CAT_INDICES, ROUTE_CAT_COUNT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == kinds[i])
            return true;
    return false;
}

/* Hold the indices that the route names; false: the one named is not there. */
static bool hold(struct doing *d)
{
    const char *name = d->route->index;
    if (strchr(name, '*') && takes_several(d->route->kind)) {
        hold_matching(d);
        return true;
    }
    if (!name[0]) {
        d->list = indices_all(d->indices, &d->n);
        return true;
    }
    d->list = calloc(1, sizeof(struct index *));
    struct index *x = d->list ? indices_get(d->indices, name) : NULL;
    if (x)
        d->list[d->n++] = x;
    return x != NULL;
}

static void act(struct doing *d)
{
    switch ((int)d->route->kind) {
    case ROUTE_INDEX_CREATE:
        create(d);
        return;
    case ROUTE_INDEX_DELETE:
        drop(d);
        return;
    case ROUTE_SCROLL:
        scroll_on(d);
        return;
    case ROUTE_DOC:
    case ROUTE_DOC_ADD:
    case ROUTE_DOC_CREATE:
        document(d);
        return;
    case ROUTE_TEMPLATE:
    case ROUTE_TEMPLATE_INDEX:
    case ROUTE_TEMPLATE_COMPONENT:
        meta(d);
        return;
    case ROUTE_SCROLL_END: /* nothing was kept for it */
        (void)fputs("{\"succeeded\":true,\"num_freed\":1}", d->out);
        return;
    }
    if (!hold(d)) {
        fail(d, 404, "index_not_found_exception", "no such index");
        return;
    }
    switch ((int)d->route->kind) {
    case ROUTE_STATS:
        stats(d);
        break;
    case ROUTE_SEARCH:
    case ROUTE_COUNT:
        search(d);
        break;
    case ROUTE_INDEX_SHOW:
    case ROUTE_MAPPING:
    case ROUTE_SETTINGS:
        meta(d);
        break;
    case ROUTE_CAT_INDICES:
    case ROUTE_CAT_COUNT:
        cat(d);
        break;
    case ROUTE_INDEX_EXISTS:
        break;
    default:
        maintain(d);
    }
}

/* Do it; the answer's text is the caller's to free, NULL: no memory. */
static char *perform(struct doing *d, size_t *len)
{
    char *text = NULL;
    d->out = open_memstream(&text, len);
    if (!d->out)
        return NULL;
    if (d->body_len > ERRAND_BODY_MAX)
        fail(d, 413, "too_long_frame_exception",
             "the body is larger than 1048576 bytes");
    else
        act(d);
    for (size_t i = 0; i < d->n; i++)
        indices_put(d->list[i]);
    free(d->list);
    if (fclose(d->out)) {
        free(text);
        text = NULL;
    }
    return text;
}

bool errand_answer(const struct errand *e, const struct decoder *dec,
                   const struct route *route, struct reply *reply, bool close)
{
    struct doing d = {.indices = e->indices,
                      .templates = e->templates,
                      .request = &dec->request,
                      .route = route,
                      .body_len = dec->body.bytes,
                      .status = 200};
    size_t len = 0, room = d.body_len;
    if (room > ERRAND_BODY_MAX)
        room = 0; /* it is refused */
    d.body = malloc(room + 1);
    if (!d.body)
        return false;
    (void)body_peek(&dec->body, e->mutator, d.body, room);
    heap_native_enter(e->mutator);
    char *text = perform(&d, &len);
    heap_native_leave(e->mutator);
    reply_clear(reply, e->pages, e->mutator);
    bool answered = text && reply_put(reply, e->pages, e->mutator, text, len);
    free(text);
    free(d.body);
    reply->no_body = dec->request.method == HTTP1_HEAD;
    reply->docs = d.docs;
    reply->plain = d.plain;
    if (answered)
        reply_seal(reply, d.status, "", close);
    return answered;
}
