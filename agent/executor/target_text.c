#include "agent/executor/target_text.h"

#include <string.h>

#include "common/json_place.h"

enum err target_text_refuse(const struct jv *v, const char *accepted,
                            struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

enum err target_text_place(const struct jv *v, enum err e, struct why *why)
{
    char where[300];
    return e ? err_wrap(why, e == ERR_NOMEM ? e : ERR_INVALID, "%s",
                        jv_where(v, where, sizeof where))
             : ERR_OK;
}

bool target_text_plain(const char *text, size_t max)
{
    size_t len = strlen(text);
    return len > 0 && len <= max && text[0] != '.' && text[0] != '-' &&
           strspn(text, TARGET_TEXT_LETTERS) == len && !strstr(text, "..");
}

enum err target_text_copy(const struct jv *v, const char *accepted, char *to,
                          size_t size, struct why *why)
{
    const char *text = jv_text(v, NULL);
    if (!v)
        return ERR_OK;
    if (!text || !text[0] || strlen(text) >= size)
        return target_text_refuse(v, accepted, why);
    memcpy(to, text, strlen(text) + 1);
    return ERR_OK;
}

enum err target_text_path(const struct jv *v, char *to, size_t size,
                          struct why *why)
{
    enum err e =
        target_text_copy(v, "a path such as \"/health\"", to, size, why);
    if (e || !v)
        return e;
    for (const char *c = to; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return target_text_refuse(v, "a path without blanks", why);
    return to[0] == '/'
               ? ERR_OK
               : target_text_refuse(v, "a path that begins with /", why);
}
