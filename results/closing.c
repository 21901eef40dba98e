#include "results/closing.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/json_place.h"

static enum err bad(const struct jv *v, const char *what, struct why *why)
{
    char where[256];
    return err_set(why, ERR_INVALID, "%s: not %s",
                   jv_where(v, where, sizeof where), what);
}

/* Texts of a list, behind what is there: "agent: a; b". */
static enum err add_texts(char to[CLOSING_TEXT_MAX], const char *agent,
                          const struct jv *list, struct why *why)
{
    size_t used = strlen(to);
    if (list && jv_type(list) != JV_ARRAY)
        return bad(list, "a list", why);
    for (size_t i = 0; i < jv_size(list); i++) {
        const char *text = jv_text(jv_at(list, i), NULL);
        if (!text)
            return bad(jv_at(list, i), "a text", why);
        int n = snprintf(to + used, CLOSING_TEXT_MAX - used, "%s%s%s%s",
                         used ? "; " : "", i ? "" : agent, i ? "" : ": ", text);
        used += n > 0 ? (size_t)n : 0;
        if (used >= CLOSING_TEXT_MAX)
            break;
    }
    return ERR_OK;
}

static enum err add_count(uint64_t *to, const struct jv *v, struct why *why)
{
    if (!v)
        return ERR_OK;
    if (jv_type(v) != JV_NUMBER || jv_number(v, -1) < 0)
        return bad(v, "a count", why);
    uint64_t n = jv_u64(v, 0);
    *to = n > UINT64_MAX - *to ? UINT64_MAX : *to + n;
    return ERR_OK;
}

static enum err read_it(struct closing *all, const char *agent,
                        const struct jv *root, struct why *why)
{
    const struct jv *restored = jv_get(root, "restored");
    if (restored && jv_type(restored) != JV_BOOL)
        return bad(restored, "true or false", why);
    all->known |= restored != NULL;
    all->altered |= restored && !jv_bool(restored, false);
    enum err e = add_texts(all->differs, agent, jv_get(root, "differs"), why);
    if (!e)
        e = add_texts(all->changed, agent, jv_get(root, "changed"), why);
    const struct jv *held = jv_get(root, "held_back");
    if (!e)
        e = add_count(&all->thermal, jv_get(held, "thermal"), why);
    if (!e)
        e = add_count(&all->throttled_ns, jv_get(held, "quota_ns"), why);
    const struct jv *target = jv_get(jv_get(root, "groups"), "target");
    if (!e)
        e = add_count(&all->limited_ns, jv_get(target, "throttled_ns"), why);
    return e;
}

enum err closing_add(struct closing *all, const char *agent,
                     const uint8_t *json, size_t len, struct why *why)
{
    struct jv *root = NULL;
    struct closing sum = *all;
    if (len > CLOSING_BYTES_MAX)
        return err_set(why, ERR_INVALID, "closing: %zu bytes, at most %u", len,
                       CLOSING_BYTES_MAX);
    enum err e = jv_parse(&root, "closing", (const char *)json, len, why);
    if (!e && jv_type(root) != JV_OBJECT)
        e = bad(root, "an object", why);
    if (!e)
        e = read_it(&sum, agent, root, why);
    jv_free(root);
    if (!e)
        *all = sum;
    return e;
}
