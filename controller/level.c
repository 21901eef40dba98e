#include "controller/level.h"

#include <string.h>

#define LABEL_WRITTEN_MAX 40u /* a column's heading has to stay readable */

static enum err label_check(const char *text, size_t len, struct why *why)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    if (len > 0 && len <= LABEL_WRITTEN_MAX && strspn(text, allowed) >= len)
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "\"%s\": a label before @ is 1 to %u letters, digits, "
                   "_, . or -",
                   text, LABEL_WRITTEN_MAX);
}

enum err level_parse(const char *text, struct level *out, struct why *why)
{
    memset(out, 0, sizeof *out);
    const char *at = strchr(text, '@');
    const char *value = at ? at + 1 : text;
    if (!value[0])
        return err_set(why, ERR_INVALID, "an empty level%s%s", at ? " in " : "",
                       text);
    enum err e = setup_copy(out->value, sizeof out->value, "level", value, why);
    if (e)
        return e;
    if (!at) {
        memcpy(out->label, out->value, sizeof out->label);
        return ERR_OK;
    }
    size_t len = (size_t)(at - text);
    e = label_check(text, len, why);
    if (!e)
        memcpy(out->label, text, len);
    return e;
}

enum err level_list(const char *text, struct level *levels, size_t max,
                    size_t *n, struct why *why)
{
    *n = 0;
    for (;;) {
        size_t len = strcspn(text, ",");
        char one[2 * SETUP_VALUE_MAX];
        if (len >= sizeof one)
            return err_set(why, ERR_RANGE, "level \"%.40s...\" is too long",
                           text);
        memcpy(one, text, len);
        one[len] = '\0';
        if (*n == max)
            return err_set(why, ERR_RANGE, "more than %zu levels", max);
        enum err e = level_parse(one, &levels[*n], why);
        if (e)
            return e;
        (*n)++;
        if (!text[len])
            return ERR_OK;
        text += len + 1;
    }
}

enum err level_split(const char *text, char *name, size_t size,
                     const char **rest, struct why *why)
{
    const char *eq = strchr(text, '=');
    if (!eq || eq == text)
        return err_set(why, ERR_INVALID, "\"%s\" is not NAME=VALUE", text);
    size_t len = (size_t)(eq - text);
    if (len >= size)
        return err_set(why, ERR_RANGE,
                       "name \"%.40s...\" is longer than %zu characters", text,
                       size - 1);
    memcpy(name, text, len);
    name[len] = '\0';
    *rest = eq + 1;
    return ERR_OK;
}
