#include "agent/executor/line.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

void line_copy(char *to, size_t size, const char *from)
{
    size_t n = from ? strnlen(from, size - 1) : 0;
    if (n)
        memcpy(to, from, n);
    to[n] = '\0';
    text_clean(to, n);
    for (size_t i = 0; i < n; i++)
        if (to[i] == '\n' || to[i] == '\t')
            to[i] = ' ';
}

void line_json_init(struct line_json *j, char *buf, size_t size)
{
    *j = (struct line_json){.buf = buf, .size = size};
    buf[0] = '\0';
}

/* Append whole or not at all. */
static void put(struct line_json *j, const char *text, size_t len)
{
    if (j->over || j->len + len + 1 > j->size) {
        j->over = true;
        return;
    }
    memcpy(j->buf + j->len, text, len);
    j->len += len;
    j->buf[j->len] = '\0';
}

static void put_char(struct line_json *j, char c)
{
    char escape[8];
    if (c == '"' || c == '\\') {
        put(j, (char[]){'\\', c}, 2);
    } else if (c == '\n' || c == '\t') {
        int n = snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        put(j, escape, (size_t)n);
    } else {
        put(j, &c, 1);
    }
}

static void put_quoted(struct line_json *j, const char *text)
{
    size_t left = strlen(text);
    put(j, "\"", 1);
    while (left) {
        size_t good = text_good(text, left);
        for (size_t i = 0; i < good; i++)
            put_char(j, text[i]);
        bool bad = good < left;
        if (bad)
            put(j, "?", 1);
        text += good + bad;
        left -= good + bad;
    }
    put(j, "\"", 1);
}

static void put_key(struct line_json *j, const char *key)
{
    if (j->comma)
        put(j, ",", 1);
    j->comma = true;
    if (key) {
        put_quoted(j, key);
        put(j, ":", 1);
    }
}

void line_json_open(struct line_json *j, const char *key, char bracket)
{
    put_key(j, key);
    put(j, &bracket, 1);
    j->comma = false;
}

void line_json_close(struct line_json *j, char bracket)
{
    char close = bracket == '{' ? '}' : ']';
    put(j, &close, 1);
    j->comma = true;
}

void line_json_text(struct line_json *j, const char *key, const char *value)
{
    put_key(j, key);
    put_quoted(j, value ? value : "");
}

void line_json_u64(struct line_json *j, const char *key, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    put_key(j, key);
    put(j, digits, (size_t)n);
}

void line_json_bool(struct line_json *j, const char *key, bool value)
{
    put_key(j, key);
    put(j, value ? "true" : "false", value ? 4 : 5);
}
