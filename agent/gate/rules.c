#include "agent/gate/rules.h"

#include <stdbool.h>
#include <string.h>

/* Room for a value in a complaint; the rest of a long one says nothing. */
#define SHOWN 80

#define UUID_CHARS 36

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

enum err rules_uuid(const char *what, const char *text, struct why *why)
{
    bool ok = strlen(text) == UUID_CHARS;
    for (size_t i = 0; ok && i < UUID_CHARS; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        char c = text[i];
        ok = dash ? c == '-' : is_digit(c) || (c >= 'a' && c <= 'f');
    }
    if (ok)
        return ERR_OK;
    return err_set(why, ERR_PROTOCOL,
                   "%s \"%.*s\": not a uuid of lower-case hex (8-4-4-4-12)",
                   what, SHOWN, text);
}

static bool name_char(char c)
{
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_' || c == '-' ||
           c == '.';
}

enum err rules_name(const char *what, const char *text, struct why *why)
{
    bool ok = *text && *text != '-' && *text != '.' && !strstr(text, "..");
    for (const char *p = text; ok && *p; p++)
        ok = name_char(*p);
    if (ok)
        return ERR_OK;
    return err_set(why, ERR_PROTOCOL,
                   "%s \"%.*s\": a name is letters, digits, '_', '-', '.', "
                   "without \"..\"",
                   what, SHOWN, text);
}

/* Length of the line's name, 0 when it is none. */
static size_t line_name(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (is_lower(line[n]) || is_digit(line[n]) ||
                       line[n] == '_' || line[n] == '-' || line[n] == '.'))
        n++;
    if (n == len || line[n] != '=' || line[0] == '.' || line[0] == '-')
        return 0;
    for (size_t i = 1; i < n; i++)
        if (line[i] == '.' && line[i - 1] == '.')
            return 0;
    return n;
}

/* Does a line of text before end begin with this name and '='? */
static bool named_before(const char *text, const char *end, const char *name,
                         size_t name_len)
{
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            stop = end;
        if ((size_t)(stop - text) > name_len && text[name_len] == '=' &&
            !memcmp(text, name, name_len))
            return true;
        text = stop + 1;
    }
    return false;
}

enum err rules_lines(const char *what, const char *text, struct why *why)
{
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        int shown = len < SHOWN ? (int)len : SHOWN;
        size_t name = line_name(line, len);
        if (!name)
            return err_set(why, ERR_PROTOCOL,
                           "%s \"%.*s\": a line is name=value, the name "
                           "a-z, 0-9, '_', '-', '.'",
                           what, shown, line);
        if (named_before(text, line, line, name))
            return err_set(why, ERR_PROTOCOL, "%s \"%.*s\": given twice", what,
                           shown, line);
        line += len;
        if (*line)
            line++;
    }
    return ERR_OK;
}

/* One of words, which are separated by blanks in the complaint as well. */
static enum err one_of(const char *what, const char *text, const char *words,
                       struct why *why)
{
    size_t len = strlen(text);
    for (const char *word = words; len && *word;) {
        size_t n = strcspn(word, " ");
        if (n == len && !memcmp(word, text, n))
            return ERR_OK;
        word += n;
        if (*word)
            word++;
    }
    return err_set(why, ERR_PROTOCOL, "%s \"%.*s\": one of: %s", what, SHOWN,
                   text, words);
}

/* A text that becomes one argument: of these characters beside letters and
 * digits, and not beginning with a dash. Empty is fine. */
static enum err chars_of(const char *what, const char *text, const char *others,
                         struct why *why)
{
    bool ok = *text != '-';
    for (const char *p = text; ok && *p; p++)
        ok = is_digit(*p) || is_lower(*p) || is_upper(*p) || strchr(others, *p);
    if (ok)
        return ERR_OK;
    return err_set(why, ERR_PROTOCOL,
                   "%s \"%.*s\": letters, digits and \"%s\" are accepted", what,
                   SHOWN, text, others);
}

static enum err rmem_ok(const struct trial_spec *s, struct why *why)
{
    bool none = !s->rmem_min && !s->rmem_default && !s->rmem_max;
    bool ordered = s->rmem_min && s->rmem_min <= s->rmem_default &&
                   s->rmem_default <= s->rmem_max;
    if (none || ordered)
        return ERR_OK;
    return err_set(why, ERR_RANGE,
                   "spec rmem %u:%u:%u: three ordered numbers above 0, or none",
                   s->rmem_min, s->rmem_default, s->rmem_max);
}

static enum err words_ok(const struct trial_spec *s, struct why *why)
{
    enum err e = one_of("spec role", s->role, "both target load", why);
    if (!e)
        e = one_of("spec link_kind", s->link_kind, "loopback veth ethernet",
                   why);
    if (!e && *s->link_offloads)
        e = one_of("spec link_offloads", s->link_offloads, "on off", why);
    if (!e)
        e = rules_name("spec target", s->target, why);
    if (!e && *s->congestion)
        e = rules_name("spec congestion", s->congestion, why);
    if (!e)
        e = chars_of("spec predictor", s->predictor, ":-", why);
    if (!e)
        e = chars_of("spec pin", s->pin, ",-", why);
    if (!e)
        e = chars_of("spec telemetry", s->telemetry, ",_", why);
    return e;
}

static enum err url_ok(const struct trial_spec *s, struct why *why)
{
    if (!*s->target_url)
        return ERR_OK;
    if (strncmp(s->target_url, "http://", 7))
        return err_set(why, ERR_PROTOCOL,
                       "spec target_url \"%.*s\": http://HOST:PORT is accepted",
                       SHOWN, s->target_url);
    return chars_of("spec target_url", s->target_url, ":/.-_[]", why);
}

enum err rules_spec(const struct trial_spec *s, struct why *why)
{
    enum err e = words_ok(s, why);
    if (!e)
        e = url_ok(s, why);
    if (!e)
        e = rmem_ok(s, why);
    if (!e)
        e = rules_lines("spec target_params", s->target_params, why);
    if (!e)
        e = rules_lines("spec load_params", s->load_params, why);
    if (!e)
        e = rules_lines("spec sysctls", s->sysctls, why);
    if (!e)
        e = rules_lines("spec nic", s->nic, why);
    if (!e && s->drain_ns > RULES_DRAIN_MAX_NS)
        e = err_set(why, ERR_RANGE,
                    "spec drain_ns %llu: at most 5000000000 (5 s)",
                    (unsigned long long)s->drain_ns);
    if (!e && !s->ready_ns)
        e = err_set(why, ERR_RANGE, "spec ready_ns 0: a deadline is above 0");
    if (!e && s->share_of && s->share_index >= s->share_of)
        e = err_set(why, ERR_RANGE, "spec share_index %u: below share_of %u",
                    s->share_index, s->share_of);
    return e;
}
