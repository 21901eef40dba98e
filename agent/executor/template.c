#include "agent/executor/template.h"

#include <string.h>

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

static enum err append(char *out, size_t size, size_t *used, const char *from,
                       size_t len, struct why *why)
{
    if (len >= size - *used)
        return err_set(why, ERR_RANGE, "more than %zu bytes", size - 1);
    memcpy(out + *used, from, len);
    *used += len;
    out[*used] = '\0';
    return ERR_OK;
}

/* The name at the "{{" that at points to; its length to *len, 0: none. */
static void name_at(const char *at, char name[TEMPLATE_NAME_MAX + 1],
                    size_t *len)
{
    size_t n = strspn(at + 2, name_bytes);
    *len = 0;
    if (!n || n > TEMPLATE_NAME_MAX || strncmp(at + 2 + n, "}}", 2) != 0)
        return;
    memcpy(name, at + 2, n);
    name[n] = '\0';
    *len = n;
}

enum err template_render(const char *text, template_value *value, void *ctx,
                         char *out, size_t size, struct why *why)
{
    char name[TEMPLATE_NAME_MAX + 1], piece[TEMPLATE_VALUE_MAX];
    size_t used = 0, len = 0;
    enum err e = ERR_OK;
    out[0] = '\0';
    while (!e && *text) {
        const char *next = strstr(text, "{{");
        size_t plain = next ? (size_t)(next - text) : strlen(text);
        e = append(out, size, &used, text, plain, why);
        text += plain;
        if (e || !next)
            continue;
        name_at(text, name, &len);
        if (!len)
            return err_set(why, ERR_INVALID,
                           "\"%.20s\": after {{ come a name of a-z, 0-9, _ "
                           "and dots, and }}",
                           text);
        piece[0] = '\0';
        e = value(ctx, name, piece, why);
        if (!e)
            e = append(out, size, &used, piece, strlen(piece), why);
        text += len + 4;
    }
    return e;
}
