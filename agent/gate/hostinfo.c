#include "agent/gate/hostinfo.h"

#include <string.h>

/* Step through lines: *line and *n are the next one without its end. */
static bool next_line(const char **at, const char *end, const char **line,
                      size_t *n)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop)
        stop = end;
    *line = *at;
    *n = (size_t)(stop - *at);
    *at = stop + 1;
    return true;
}

static void copy(char *out, size_t size, const char *text, size_t len)
{
    if (len >= size)
        len = size - 1;
    memcpy(out, text, len);
    out[len] = '\0';
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The value of "key : value" when the line has this key. */
static bool colon_value(const char *line, size_t len, const char *key,
                        const char **value, size_t *n)
{
    size_t k = strlen(key), at = k;
    if (len < k || memcmp(line, key, k))
        return false;
    while (at < len && blank(line[at]))
        at++;
    if (at == len || line[at] != ':')
        return false;
    at++;
    while (at < len && blank(line[at]))
        at++;
    *value = line + at;
    *n = len - at;
    return true;
}

static bool has_word(const char *text, size_t len, const char *word)
{
    size_t w = strlen(word);
    for (size_t at = 0; at < len;) {
        const char *gap = memchr(text + at, ' ', len - at);
        size_t n = gap ? (size_t)(gap - text) - at : len - at;
        if (n == w && !memcmp(text + at, word, w))
            return true;
        at += n + 1;
    }
    return false;
}

void hostinfo_cpu(const char *text, size_t len, struct hostinfo_cpu *out)
{
    const char *at = text, *end = text + len, *line = NULL, *value = NULL;
    size_t n = 0, v = 0;

    memset(out, 0, sizeof *out);
    while (next_line(&at, end, &line, &n)) {
        if (colon_value(line, n, "processor", &value, &v))
            out->cpus++;
        else if (colon_value(line, n, "model name", &value, &v)) {
            if (!*out->model)
                copy(out->model, sizeof out->model, value, v);
        } else if (colon_value(line, n, "cpu MHz", &value, &v)) {
            if (!*out->mhz)
                copy(out->mhz, sizeof out->mhz, value, v);
        } else if (colon_value(line, n, "flags", &value, &v) &&
                   has_word(value, v, "hypervisor"))
            out->hypervisor = true;
    }
}

/* A whole number at text, up to the first other character. */
static bool number(const char *text, size_t len, uint64_t *out, size_t *used)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < len && text[n] >= '0' && text[n] <= '9'; n++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[n] - '0'), &value))
            return false;
    *out = value;
    *used = n;
    return n > 0;
}

bool hostinfo_meminfo(const char *text, size_t len, const char *key,
                      uint64_t *bytes)
{
    const char *at = text, *end = text + len, *line = NULL, *value = NULL;
    size_t n = 0, v = 0, used = 0;
    uint64_t kib = 0;

    while (next_line(&at, end, &line, &n))
        if (colon_value(line, n, key, &value, &v))
            return number(value, v, &kib, &used) &&
                   !__builtin_mul_overflow(kib, 1024, bytes);
    return false;
}

bool hostinfo_os_release(const char *text, size_t len, const char *key,
                         char *out, size_t size)
{
    const char *at = text, *end = text + len, *line = NULL;
    size_t n = 0, k = strlen(key);

    while (next_line(&at, end, &line, &n)) {
        if (n <= k || memcmp(line, key, k) || line[k] != '=')
            continue;
        const char *value = line + k + 1;
        size_t v = n - k - 1;
        if (v >= 2 && *value == '"' && value[v - 1] == '"') {
            value++;
            v -= 2;
        }
        copy(out, size, value, v);
        return true;
    }
    return false;
}

void hostinfo_choice(const char *text, size_t len, char *out, size_t size)
{
    const char *at = text, *line = text;
    size_t n = 0;

    *out = '\0';
    if (!next_line(&at, text + len, &line, &n))
        return;
    const char *open = memchr(line, '[', n);
    if (open) {
        size_t rest = n - (size_t)(open + 1 - line);
        const char *close = memchr(open + 1, ']', rest);
        if (close) {
            line = open + 1;
            n = (size_t)(close - line);
        }
    }
    copy(out, size, line, n);
}

uint32_t hostinfo_list(const char *text, size_t len)
{
    uint64_t total = 0, first = 0, last = 0;
    size_t at = 0, used = 0;

    while (at < len && text[at] != '\n') {
        if (!number(text + at, len - at, &first, &used))
            return 0;
        at += used;
        last = first;
        if (at < len && text[at] == '-') {
            at++;
            if (!number(text + at, len - at, &last, &used) || last < first)
                return 0;
            at += used;
        }
        if (last - first >= UINT32_MAX)
            return 0;
        total += last - first + 1;
        if (total > UINT32_MAX)
            return 0;
        if (at < len && text[at] == ',')
            at++;
        else if (at < len && text[at] != '\n')
            return 0;
    }
    return (uint32_t)total;
}
