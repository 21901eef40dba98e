#include "tracks/settings.h"

#include <string.h>

#include "common/json_build.h"

/* Copy from's members, but the one called skip. */
static void copy_members(const struct jv *from, const char *skip, struct jv *to)
{
    const struct jv *v;
    const char *key;
    for (size_t i = 0; (v = jv_member(from, i, &key)); i++)
        if (!skip || strcmp(key, skip) != 0)
            jv_add_copy(to, key, v);
}

struct jv *settings_merge(const struct jv *body, const char *inner,
                          const struct jv *settings)
{
    const char *own = settings ? "settings" : NULL;
    struct jv *all = jv_new(JV_OBJECT), *to = all;
    const struct jv *from = inner ? jv_get(body, inner) : body;
    if (inner && settings) {
        copy_members(body, inner, all);
        to = jv_add(all, inner, JV_OBJECT);
    } else {
        from = body;
    }
    copy_members(from, own, to);
    if (settings) {
        struct jv *merged = jv_add(to, "settings", JV_OBJECT);
        copy_members(jv_get(from, "settings"), NULL, merged);
        copy_members(settings, NULL, merged);
    }
    return all;
}
