#include "agent/watch/scan.h"

#include <string.h>

bool scan_line(struct scan *text, struct scan *line)
{
    if (text->at >= text->end)
        return false;
    const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
    line->at = text->at;
    line->end = stop ? stop : text->end;
    text->at = stop ? stop + 1 : text->end;
    return true;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

bool scan_word(struct scan *line, struct scan *word)
{
    while (line->at < line->end && blank(*line->at))
        line->at++;
    word->at = line->at;
    while (line->at < line->end && !blank(*line->at))
        line->at++;
    word->end = line->at;
    return word->at < word->end;
}

bool scan_u64(struct scan *line, uint64_t *out)
{
    struct scan word;
    uint64_t value = 0;
    if (!scan_word(line, &word))
        return false;
    for (const char *p = word.at; p < word.end; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

bool scan_skip(struct scan *line, size_t n)
{
    struct scan word;
    while (n--)
        if (!scan_word(line, &word))
            return false;
    return true;
}

bool scan_is(const struct scan *word, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(word->end - word->at) == len &&
           !memcmp(word->at, text, len);
}

void scan_copy(const struct scan *word, char *out, size_t size)
{
    size_t len = (size_t)(word->end - word->at);
    if (len >= size)
        len = size - 1;
    memcpy(out, word->at, len);
    out[len] = '\0';
}
