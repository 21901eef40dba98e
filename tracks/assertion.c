#include "tracks/assertion.h"

#include <string.h>

#include "tracks/field.h"
#include "tracks/field_list.h"

#define ASSERTIONS_MAX 64
#define PROPERTY_MAX   200 /* characters */

static enum err check(const struct jv *v, struct why *why)
{
    static const char *const keys[] = {"property", "condition", "value", NULL};
    static const char *const conditions[] = {"<", "<=", "==", ">=", ">", "!="};
    const char *property, *condition;
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = field_need_text(v, "property", PROPERTY_MAX, &property, why);
    if (!e)
        e = field_need_text(v, "condition", PROPERTY_MAX, &condition, why);
    if (!e && !jv_get(v, "value"))
        e = field_missing(v, "value", why);
    for (size_t i = 0; !e && i < sizeof conditions / sizeof *conditions; i++)
        if (!strcmp(conditions[i], condition))
            return ERR_OK;
    return e ? e
             : field_error(jv_get(v, "condition"), why,
                           "\"%s\" is not accepted; accepted: <, <=, ==, >=, "
                           ">, !=",
                           condition);
}

enum err assertions_check(const struct jv *op, struct why *why)
{
    const struct jv *list = jv_get(op, "assertions");
    bool none = jv_type(list) == JV_ARRAY && !jv_size(list);
    if (!list || jv_type(list) == JV_NULL || none)
        return ERR_OK;
    enum err e = field_objects(list, ASSERTIONS_MAX, why);
    for (size_t i = 0; i < jv_size(list) && !e; i++)
        e = check(jv_at(list, i), why);
    return e;
}
