#include "target/scroll.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/units.h"

#define FORMAT "1"

/* "1,INDEX,SIZE,SHARD,AFTER,TOTAL,BODY" in hexadecimal digits. */
void scroll_write(const struct scroll *s, char id[SCROLL_ID_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    char text[SCROLL_ID_BYTES / 2];
    int head =
        snprintf(text, sizeof text,
                 FORMAT ",%s,%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRIu64 ",",
                 s->index, s->size, s->shard, s->after, s->total);
    size_t len = (size_t)head + s->body_len;
    memcpy(text + head, s->body, s->body_len);
    for (size_t i = 0; i < len; i++) {
        id[2 * i] = digits[(unsigned char)text[i] >> 4];
        id[2 * i + 1] = digits[(unsigned char)text[i] & 15];
    }
    id[2 * len] = '\0';
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static enum err foreign(struct why *why)
{
    return err_set(why, ERR_INVALID, "Cannot parse scroll id");
}

/* The next piece of text up to a comma, which becomes its end; NULL: none. */
static char *cut(char **at)
{
    char *from = *at, *comma = strchr(from, ',');
    if (!comma)
        return NULL;
    *comma = '\0';
    *at = comma + 1;
    return from;
}

static bool number(char **at, uint64_t max, uint64_t *n)
{
    const char *text = cut(at);
    return text && !units_u64(text, max, n, NULL);
}

enum err scroll_read(struct scroll *s, const char *id, size_t len,
                     struct why *why)
{
    char text[SCROLL_ID_BYTES / 2 + 1], *at = text;
    uint64_t size, shard, after, total;
    if (len % 2 || len >= SCROLL_ID_BYTES)
        return foreign(why);
    for (size_t i = 0; i < len / 2; i++) {
        int high = digit(id[2 * i]), low = digit(id[2 * i + 1]);
        if (high < 0 || low < 0 || !(high | low))
            return foreign(why);
        text[i] = (char)(high * 16 + low);
    }
    text[len / 2] = '\0';
    const char *format = cut(&at), *index = format ? cut(&at) : NULL;
    if (!index || strcmp(format, FORMAT) != 0 ||
        strlen(index) > ROUTE_NAME_MAX || !number(&at, UINT32_MAX, &size) ||
        !number(&at, UINT32_MAX, &shard) || !number(&at, INT64_MAX, &after) ||
        !number(&at, INT64_MAX, &total) || strlen(at) > SCROLL_BODY_MAX)
        return foreign(why);
    *s = (struct scroll){.size = (uint32_t)size,
                         .shard = (uint32_t)shard,
                         .after = (int64_t)after,
                         .total = total,
                         .body_len = strlen(at)};
    (void)snprintf(s->index, sizeof s->index, "%s", index);
    memcpy(s->body, at, s->body_len);
    return ERR_OK;
}

enum err scroll_parse(struct scroll *s, const char *text, size_t len,
                      struct why *why)
{
    struct jv *root = NULL;
    enum err e = jv_parse(&root, "body", text, len, why);
    const char *id = e ? NULL : jv_text(jv_get(root, "scroll_id"), NULL);
    if (!e && !id)
        e = err_set(why, ERR_INVALID, "scrollId is missing");
    if (!e)
        e = scroll_read(s, id, strlen(id), why);
    jv_free(root);
    return e;
}
