#include "tracks/field_list.h"

#include "tracks/field.h"

enum err field_size(const struct jv *list, size_t max, struct why *why)
{
    if (jv_type(list) != JV_ARRAY)
        return field_error(list, why, "must be a list");
    if (!jv_size(list) || jv_size(list) > max)
        return field_error(list, why, "has %zu elements; accepted: 1 to %zu",
                           jv_size(list), max);
    return ERR_OK;
}

enum err field_objects(const struct jv *list, size_t max, struct why *why)
{
    enum err e = field_size(list, max, why);
    for (size_t i = 0; i < jv_size(list) && !e; i++)
        if (jv_type(jv_at(list, i)) != JV_OBJECT)
            e = field_error(jv_at(list, i), why, "must be an object");
    return e;
}

enum err field_list(const struct jv *object, const char *key, size_t max,
                    const struct jv **v, struct why *why)
{
    enum err e = field_need(object, key, JV_ARRAY, v, why);
    return e ? e : field_objects(*v, max, why);
}
