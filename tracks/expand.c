#include "tracks/expand.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define OUT_MIN ((size_t)64 << 10)

/* Where the scan stands: [at, end) is still to be read. */
struct scan {
    const char *name, *at, *end;
    unsigned line;
};

struct text {
    char *data;
    size_t len, cap, max;
};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && word_char(at[n]))
        n++;
    return n && isdigit((unsigned char)*at) ? 0 : n;
}

static enum err check_param(const struct track_param *p, struct why *why)
{
    size_t len = strlen(p->name);
    if (!len || word_length(p->name, p->name + len) != len)
        return err_set(why, ERR_USAGE,
                       "track parameter \"%s\": a name is made of letters, "
                       "digits and _",
                       p->name);
    if (strlen(p->value) > EXPAND_VALUE_MAX)
        return err_set(why, ERR_USAGE,
                       "track parameter %s: longer than %d characters", p->name,
                       EXPAND_VALUE_MAX);
    for (const char *c = p->value; *c; c++)
        if (iscntrl((unsigned char)*c))
            return err_set(why, ERR_USAGE,
                           "track parameter %s: a control character in its "
                           "value",
                           p->name);
    return ERR_OK;
}

enum err expand_init(struct expand *e, const struct track_param *params,
                     size_t n_params, struct why *why)
{
    if (n_params > EXPAND_PARAMS_MAX)
        return err_set(why, ERR_USAGE,
                       "%zu track parameters: at most %d are accepted",
                       n_params, EXPAND_PARAMS_MAX);
    *e = (struct expand){.params = params, .n_params = n_params};
    for (size_t i = 0; i < n_params; i++) {
        enum err err = check_param(&params[i], why);
        if (err)
            return err;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(params[i].name, params[k].name))
                return err_set(why, ERR_USAGE,
                               "track parameter %s is given twice",
                               params[i].name);
    }
    return ERR_OK;
}

static enum err append(struct text *t, const char *data, size_t len,
                       struct why *why)
{
    if (len > t->max - t->len)
        return err_set(why, ERR_RANGE,
                       "the expanded text is longer than %zu bytes", t->max);
    if (t->len + len + 1 > t->cap) {
        size_t cap = 2 * (t->len + len + 1);
        char *data_new = realloc(t->data, cap);
        if (!data_new)
            return err_set(why, ERR_NOMEM, "out of memory");
        t->data = data_new;
        t->cap = cap;
    }
    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = 0;
    return ERR_OK;
}

static enum err refuse(const struct scan *s, struct why *why, const char *what)
{
    return err_set(why, ERR_INVALID,
                   "%s:%u: %s; accepted: {{ name }} and {{ name | default(x) "
                   "}} (render the track first: esrally render-track)",
                   s->name, s->line, what);
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
}

static bool eat(struct scan *s, const char *token)
{
    size_t len = strlen(token);
    skip_blanks(s);
    if ((size_t)(s->end - s->at) < len || memcmp(s->at, token, len))
        return false;
    s->at += len;
    return true;
}

/* A default's literal: a quoted text without backslashes, a number, true or
 * false. What it stands for goes to *value, len bytes. */
static bool eat_literal(struct scan *s, const char **value, size_t *len)
{
    skip_blanks(s);
    if (s->at == s->end)
        return false;
    char quote = *s->at;
    if (quote == '"' || quote == '\'') {
        const char *from = ++s->at;
        while (s->at < s->end && *s->at != quote) {
            if (*s->at == '\\' || iscntrl((unsigned char)*s->at))
                return false;
            s->at++;
        }
        *value = from;
        *len = (size_t)(s->at - from);
        return s->at < s->end && *s->at++ == quote;
    }
    *value = s->at;
    while (s->at < s->end && (word_char(*s->at) || *s->at == '+' ||
                              *s->at == '-' || *s->at == '.'))
        s->at++;
    *len = (size_t)(s->at - *value);
    if ((*len == 4 && !memcmp(*value, "true", 4)) ||
        (*len == 5 && !memcmp(*value, "false", 5)))
        return true;
    return *len && (isdigit((unsigned char)**value) || **value == '-');
}

static const char *given(struct expand *e, const char *name, size_t len)
{
    for (size_t i = 0; i < e->n_params; i++)
        if (strlen(e->params[i].name) == len &&
            !memcmp(e->params[i].name, name, len)) {
            e->used[i] = true;
            return e->params[i].value;
        }
    return NULL;
}

/* s stands behind "{{". */
static enum err placeholder(struct expand *e, struct scan *s, struct text *t,
                            struct why *why)
{
    skip_blanks(s);
    const char *name = s->at, *value = NULL;
    size_t name_len = word_length(s->at, s->end), value_len = 0;
    if (!name_len)
        return refuse(s, why, "a Jinja expression without a name");
    s->at += name_len;
    if (eat(s, "|") && !(eat(s, "default") && eat(s, "(") &&
                         eat_literal(s, &value, &value_len) && eat(s, ")")))
        return refuse(s, why, "this Jinja filter is not supported");
    if (!eat(s, "}}"))
        return refuse(s, why, "this Jinja expression is not supported");
    const char *param = given(e, name, name_len);
    if (param)
        return append(t, param, strlen(param), why);
    if (!value)
        return err_set(why, ERR_INVALID,
                       "%s:%u: parameter \"%.*s\" has no default: give "
                       "--track-param %.*s=VALUE",
                       s->name, s->line, (int)(name_len > 64 ? 64 : name_len),
                       name, (int)(name_len > 64 ? 64 : name_len), name);
    return append(t, value, value_len, why);
}

/* One step: a placeholder, or the text up to the next brace. */
static enum err step(struct expand *e, struct scan *s, struct text *t,
                     struct why *why)
{
    if (*s->at == '{' && s->end - s->at > 1) {
        char next = s->at[1];
        if (next == '%' || next == '#')
            return refuse(s, why,
                          next == '%' ? "Jinja statements are not supported"
                                      : "Jinja comments are not supported");
        if (next == '{') {
            s->at += 2;
            return placeholder(e, s, t, why);
        }
    }
    const char *from = s->at++;
    if (*from == '\n')
        s->line++;
    else
        while (s->at < s->end && *s->at && *s->at != '{' && *s->at != '\n')
            s->at++;
    if (!*from)
        return err_set(why, ERR_INVALID, "%s:%u: a NUL byte", s->name, s->line);
    return append(t, from, (size_t)(s->at - from), why);
}

enum err expand_text(struct expand *e, const char *name, const char *text,
                     size_t len, char **out, struct why *why)
{
    *out = NULL;
    struct scan s = {name, text, text + len, 1};
    struct text t = {.max = 4 * (len > OUT_MIN ? len : OUT_MIN)};
    enum err err = append(&t, "", 0, why);
    while (!err && s.at < s.end)
        err = step(e, &s, &t, why);
    if (err) {
        free(t.data);
        return err;
    }
    *out = t.data;
    return ERR_OK;
}

enum err expand_check_used(const struct expand *e, struct why *why)
{
    for (size_t i = 0; i < e->n_params; i++)
        if (!e->used[i])
            return err_set(why, ERR_USAGE,
                           "track parameter %s: the track has no such "
                           "placeholder",
                           e->params[i].name);
    return ERR_OK;
}
