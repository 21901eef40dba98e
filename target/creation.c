#include "target/creation.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

const struct jv *creation_setting(const struct jv *body, const char *name)
{
    char dotted[128];
    const struct jv *settings = jv_get(body, "settings");
    const struct jv *v = jv_get(jv_get(settings, "index"), name);
    (void)snprintf(dotted, sizeof dotted, "index.%s", name);
    if (!v)
        v = jv_get(settings, dotted);
    return v ? v : jv_get(settings, name);
}

/* A number, which may stand in quotes. */
static enum err read_shards(const struct jv *v, uint32_t *shards,
                            struct why *why)
{
    uint64_t n = jv_u64(v, 0);
    if (!v)
        return ERR_OK;
    if (jv_type(v) == JV_STRING &&
        units_u64(jv_text(v, ""), CREATION_SHARDS_MAX, &n, NULL))
        n = 0;
    if (n < 1 || n > CREATION_SHARDS_MAX)
        return err_set(why, ERR_INVALID,
                       "Failed to parse value for setting "
                       "[index.number_of_shards] must be from 1 to %u",
                       CREATION_SHARDS_MAX);
    *shards = (uint32_t)n;
    return ERR_OK;
}

enum err creation_interval(const struct jv *v, uint64_t *ns, struct why *why)
{
    double number = jv_number(v, 0);
    if (!v)
        return ERR_OK;
    if (!strcmp(jv_text(v, ""), "-1") ||
        (jv_type(v) == JV_NUMBER && number < 0)) {
        *ns = CREATION_REFRESH_NEVER;
        return ERR_OK;
    }
    if (jv_type(v) == JV_NULL) {
        *ns = CREATION_REFRESH_NS;
        return ERR_OK;
    }
    if (jv_type(v) != JV_STRING || units_duration(jv_text(v, ""), ns, NULL))
        return err_set(why, ERR_INVALID,
                       "failed to parse setting [index.refresh_interval], "
                       "accepted are durations such as \"1s\", and -1");
    return ERR_OK;
}

enum err creation_read(struct creation *c, const struct jv *body,
                       uint32_t default_shards, struct why *why)
{
    c->shards = default_shards;
    c->refresh_ns = CREATION_REFRESH_NS;
    if (body && jv_type(body) != JV_OBJECT)
        return err_set(why, ERR_INVALID,
                       "the body is no object with settings and mappings");
    enum err e = read_shards(creation_setting(body, "number_of_shards"),
                             &c->shards, why);
    return e ? e
             : creation_interval(creation_setting(body, "refresh_interval"),
                                 &c->refresh_ns, why);
}

enum err creation_parse(struct creation *c, const char *text, size_t len,
                        uint32_t default_shards, struct why *why)
{
    *c = (struct creation){0};
    enum err e = len ? jv_parse(&c->body, "body", text, len, why) : ERR_OK;
    if (!e)
        e = creation_read(c, c->body, default_shards, why);
    if (e)
        creation_free(c);
    return e;
}

void creation_free(struct creation *c)
{
    jv_free(c->body);
    c->body = NULL;
}
