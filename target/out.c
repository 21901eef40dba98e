#include "target/out.h"

#include <string.h>

#include "common/text.h"

struct out out_to(char *buf, size_t size)
{
    return (struct out){.buf = buf, .size = size};
}

void out_raw(struct out *o, const char *text, size_t len)
{
    if (o->cut || len > o->size - o->len) {
        o->cut = true;
        return;
    }
    memcpy(o->buf + o->len, text, len);
    o->len += len;
}

static void put(struct out *o, const char *text)
{
    out_raw(o, text, strlen(text));
}

/* The comma and the key that stand before a value. */
static void lead(struct out *o, const char *key)
{
    if (o->comma)
        out_raw(o, ",", 1);
    o->comma = true;
    if (!key)
        return;
    out_raw(o, "\"", 1);
    put(o, key);
    out_raw(o, "\":", 2);
}

void out_open(struct out *o, const char *key, char bracket)
{
    lead(o, key);
    out_raw(o, &bracket, 1);
    o->comma = false;
}

void out_close(struct out *o, char bracket)
{
    out_raw(o, &bracket, 1);
    o->comma = true;
}

void out_u64(struct out *o, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    lead(o, key);
    out_raw(o, digits + at, sizeof digits - at);
}

void out_bool(struct out *o, const char *key, bool value)
{
    lead(o, key);
    put(o, value ? "true" : "false");
}

void out_text(struct out *o, const char *key, const char *text)
{
    lead(o, key);
    out_raw(o, "\"", 1);
    out_escaped(o, text, strlen(text));
    out_raw(o, "\"", 1);
}

static void escape(struct out *o, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char code[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    if (c == '"' || c == '\\') {
        char pair[2] = {'\\', (char)c};
        out_raw(o, pair, 2);
    } else if (c == '\n') {
        out_raw(o, "\\n", 2);
    } else if (c < 0x20) {
        out_raw(o, code, 6);
    } else {
        out_raw(o, c < 0x7f ? (const char *)&c : "?", 1);
    }
}

void out_escaped(struct out *o, const char *text, size_t len)
{
    while (len) {
        size_t good = text_good(text, len), plain = 0;
        while (plain < good && (unsigned char)text[plain] >= 0x20 &&
               text[plain] != '"' && text[plain] != '\\')
            plain++;
        out_raw(o, text, plain);
        if (plain < len) {
            escape(o, (unsigned char)text[plain]);
            plain++;
        }
        text += plain;
        len -= plain;
    }
}
