#include "target/meta.h"

#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "target/answer.h"

static void acknowledge(FILE *out)
{
    char text[256];
    struct out o = out_to(text, sizeof text);
    answer_acknowledged(&o);
    (void)fwrite(o.buf, 1, o.len, out);
}

/* As it was given; fields that documents added are not shown. */
static enum err show_mapping(struct index *x, FILE *out, struct why *why)
{
    struct jv *body = NULL;
    char *given = index_body(x), *text = NULL;
    enum err e = given ? jv_parse(&body, "body", given, strlen(given), why)
                       : err_set(why, ERR_NOMEM, "no memory for a mapping");
    const struct jv *mappings = jv_get(body, "mappings");
    if (!e && mappings)
        text = jv_print(mappings, false);
    if (!e)
        (void)fprintf(out, "{\"%s\":{\"mappings\":%s}}", x->name,
                      text ? text : "{}");
    free(text);
    free(given);
    jv_free(body);
    return e;
}

static void show_index(struct index *x, FILE *out)
{
    char *body = index_body(x);
    (void)fprintf(out,
                  "{\"%s\":{\"aliases\":{},\"created_with\":%s,\"settings\":{"
                  "\"index\":{\"number_of_shards\":\"%u\","
                  "\"number_of_replicas\":\"0\",\"uuid\":\"%016llx\","
                  "\"provided_name\":\"%s\"}}}}",
                  x->name, body ? body : "{}", x->n_shards,
                  (unsigned long long)x->seed, x->name);
    free(body);
}

static enum err put_mapping(const struct meta *m, FILE *out, struct why *why)
{
    struct jv *body = NULL;
    enum err e = jv_parse(&body, "body", m->body, m->body_len, why);
    if (!e && jv_type(body) != JV_OBJECT)
        e = err_set(why, ERR_INVALID,
                    "the mapping is no object with properties");
    if (!e)
        e = index_map(m->index, body, why);
    if (!e)
        acknowledge(out);
    jv_free(body);
    return e;
}

/* "index.refresh_interval", nested, or without its "index.", alone. */
static enum err put_settings(const struct meta *m, FILE *out, struct why *why)
{
    struct jv *body = NULL;
    uint64_t ns = atomic_load(&m->index->refresh_interval_ns);
    enum err e = jv_parse(&body, "body", m->body, m->body_len, why);
    const struct jv *given = jv_get(body, "settings");
    if (!given)
        given = body;
    const struct jv *v = jv_get(given, "index.refresh_interval");
    if (!v)
        v = jv_get(given, "refresh_interval");
    if (!v && jv_size(jv_get(given, "index")) == 1)
        v = jv_get(jv_get(given, "index"), "refresh_interval");
    if (!e && (!v || jv_size(given) != 1))
        e = err_set(why, ERR_UNSUPPORTED,
                    "of an index that exists only [index.refresh_interval] can "
                    "be set here");
    if (!e)
        e = creation_interval(v, &ns, why);
    jv_free(body);
    if (e)
        return e;
    atomic_store(&m->index->refresh_interval_ns, ns);
    acknowledge(out);
    return ERR_OK;
}

static enum err missing(enum template_kind kind, const char *name,
                        struct why *why)
{
    static const char *const words[] = {
        [TEMPLATE_OLD] = "index_template",
        [TEMPLATE_INDEX] = "index template matching",
        [TEMPLATE_COMPONENT] = "component template matching"};
    return err_set(why, ERR_NOTFOUND, "%s [%s] not found", words[kind], name);
}

static enum err template(const struct meta *m, enum template_kind kind,
                         FILE *out, unsigned *status, struct why *why) {
    const char *name = m->route->id; enum err e = ERR_OK;
    switch ((int)m->method){
        case HTTP1_GET : return templates_show(m->templates, kind, name, out)
            ? ERR_OK
            : missing(kind, name, why);
        case HTTP1_HEAD :
            if (!templates_show(m->templates, kind, name, out)) *status = 404;
        return ERR_OK;
        case HTTP1_DELETE :
            if (!templates_drop(m->templates, kind,
                                name)) return missing(kind, name, why);
        break;
        default : e = templates_put(m->templates, kind, name, m->body,
                                    m->body_len, why);
    }
if (!e) acknowledge(out);
return e;
}

enum err meta_answer(const struct meta *m, FILE *out, unsigned *status,
                     struct why *why)
{
    switch ((int)m->route->kind) {
    case ROUTE_TEMPLATE:
        return template(m, TEMPLATE_OLD, out, status, why);
    case ROUTE_TEMPLATE_INDEX:
        return template(m, TEMPLATE_INDEX, out, status, why);
    case ROUTE_TEMPLATE_COMPONENT:
        return template(m, TEMPLATE_COMPONENT, out, status, why);
    case ROUTE_SETTINGS:
        return put_settings(m, out, why);
    case ROUTE_INDEX_SHOW:
        show_index(m->index, out);
        return ERR_OK;
    default:
        return m->method == HTTP1_GET ? show_mapping(m->index, out, why)
                                      : put_mapping(m, out, why);
    }
}
