#include "agent/watch/stats.h"

#include <string.h>

#include "agent/watch/counter.h"

#define DEPTH_MAX 16

/* Cursor over the text. */
struct reader {
    const char *at, *end;
};

static char peek(struct reader *r)
{
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static enum err expected(const struct reader *r, const char *what,
                         struct why *why)
{
    if (r->at == r->end)
        return err_set(why, ERR_INVALID, "statistics: %s expected at the end",
                       what);
    int left = r->end - r->at < 12 ? (int)(r->end - r->at) : 12;
    return err_set(why, ERR_INVALID, "statistics: %s expected at \"%.*s\"",
                   what, left, r->at);
}

static enum err take(struct reader *r, char c, struct why *why)
{
    const char what[] = {'"', c, '"', '\0'};
    if (peek(r) != c)
        return expected(r, what, why);
    r->at++;
    return ERR_OK;
}

static bool take_comma(struct reader *r)
{
    bool there = peek(r) == ',';
    r->at += there;
    return there;
}

/* A string's inside as it is written; one with escapes names nothing of ours,
 * so none is ever undone. */
static enum err take_string(struct reader *r, struct reader *inside,
                            struct why *why)
{
    enum err e = take(r, '"', why);
    if (e)
        return e;
    inside->at = r->at;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\\' && r->end - r->at > 1)
            r->at++;
        r->at++;
    }
    inside->end = r->at;
    return take(r, '"', why);
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/* A number, true, false or null: whatever stands there in one piece. */
static enum err take_word(struct reader *r, struct reader *word,
                          struct why *why)
{
    (void)peek(r);
    word->at = r->at;
    while (r->at < r->end && word_char(*r->at))
        r->at++;
    word->end = r->at;
    return word->at < word->end ? ERR_OK : expected(r, "a value", why);
}

/* Pass over an object or array: brackets are counted, not matched. */
static enum err skip_nested(struct reader *r, struct why *why)
{
    struct reader ignored;
    enum err e = ERR_OK;
    for (int depth = 0;;) {
        char c = peek(r);
        if (!c)
            return expected(r, "an end", why);
        if (c == '"') {
            e = take_string(r, &ignored, why);
            if (e)
                return e;
            continue;
        }
        r->at++;
        if ((c == '{' || c == '[') && ++depth > DEPTH_MAX)
            return err_set(why, ERR_INVALID,
                           "statistics: more than %d levels deep", DEPTH_MAX);
        if ((c == '}' || c == ']') && --depth == 0)
            return ERR_OK;
    }
}

static enum err whole(const struct reader *word, const char *name,
                      uint64_t *out, struct why *why)
{
    uint64_t value = 0;
    for (const char *p = word->at; p < word->end; p++)
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value)) {
            long len = word->end - word->at;
            return err_set(why, ERR_INVALID,
                           "statistics: \"%s\": %.*s: a whole number of 64 "
                           "bits is expected",
                           name, len < 40 ? (int)len : 40, word->at);
        }
    *out = value;
    return ERR_OK;
}

/* The list's field of this name, n when it is none of ours. */
static size_t field_of(const struct wire_field *fields, size_t n,
                       const struct reader *name)
{
    size_t len = (size_t)(name->end - name->at);
    for (size_t i = 0; i < n; i++)
        if (fields[i].type == WIRE_U64 && strlen(fields[i].name) == len &&
            !memcmp(fields[i].name, name->at, len))
            return i;
    return n;
}

static enum err take_field(struct reader *r, const struct wire_field *field,
                           struct record_sample_target *out, struct why *why)
{
    struct reader word;
    uint64_t value = 0;
    enum err e = take_word(r, &word, why);
    if (!e)
        e = whole(&word, field->name, &value, why);
    if (!e)
        memcpy((char *)out + field->offset, &value, sizeof value);
    return e;
}

/* "name": value */
static enum err take_member(struct reader *r, struct record_sample_target *out,
                            uint32_t *seen, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields =
        record_fields(RECORD_IS_sample_target, &n);
    struct reader name, value;
    enum err e = take_string(r, &name, why);
    if (!e)
        e = take(r, ':', why);
    if (e)
        return e;
    size_t i = field_of(fields, n, &name);
    if (i < n && *seen >> i & 1)
        return err_set(why, ERR_INVALID,
                       "statistics: \"%s\" stands there "
                       "twice",
                       fields[i].name);
    if (i < n) {
        *seen |= 1u << i;
        return take_field(r, &fields[i], out, why);
    }
    char c = peek(r);
    if (c == '{' || c == '[')
        return skip_nested(r, why);
    return c == '"' ? take_string(r, &value, why) : take_word(r, &value, why);
}

static enum err complete(uint32_t seen, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields =
        record_fields(RECORD_IS_sample_target, &n);
    for (size_t i = 0; i < n; i++)
        if (fields[i].type == WIRE_U64 && fields[i].need == WIRE_REQ &&
            !(seen >> i & 1))
            return err_set(why, ERR_INVALID, "statistics: \"%s\" is missing",
                           fields[i].name);
    return ERR_OK;
}

enum err stats_parse(const char *text, size_t len,
                     struct record_sample_target *out, struct why *why)
{
    struct reader r = {text, text + len};
    uint32_t seen = 0; /* a bit per field */
    *out = (struct record_sample_target){0};
    enum err e = take(&r, '{', why);
    if (!e && peek(&r) != '}')
        do
            e = take_member(&r, out, &seen, why);
        while (!e && take_comma(&r));
    if (!e)
        e = take(&r, '}', why);
    (void)peek(&r);
    if (!e && r.at < r.end)
        e = expected(&r, "nothing more", why);
    return e ? e : complete(seen, why);
}

static bool level(const char *name)
{
    return !strcmp(name, "heap_used") || !strcmp(name, "heap_max") ||
           !strcmp(name, "queued");
}

struct record_sample_target
stats_since(const struct record_sample_target *before,
            const struct record_sample_target *now)
{
    struct record_sample_target out = *now;
    size_t n = 0;
    const struct wire_field *fields =
        record_fields(RECORD_IS_sample_target, &n);
    for (size_t i = 0; i < n; i++) {
        if (fields[i].type != WIRE_U64 || level(fields[i].name))
            continue;
        uint64_t a, b;
        memcpy(&a, (const char *)before + fields[i].offset, sizeof a);
        memcpy(&b, (const char *)now + fields[i].offset, sizeof b);
        b = counter_since(a, b);
        memcpy((char *)&out + fields[i].offset, &b, sizeof b);
    }
    return out;
}
