#include "controller/maps.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "controller/factor.h"
#include "controller/param.h"

#define WORDS_MAX 1024

/* The words behind "TARGET=" in the agent's lines, [*len]; NULL: none. */
static const char *words_of(const struct msg_hello_reply *agent,
                            const char *target, size_t *len)
{
    size_t n = strlen(target);
    for (const char *line = agent->target_maps; *line;) {
        size_t all = strcspn(line, "\n");
        if (all > n && line[n] == '=' && !strncmp(line, target, n)) {
            *len = all - n - 1;
            return line + n + 1;
        }
        line += all + (line[all] == '\n');
    }
    return NULL;
}

/* Find the word of name among words [len]: its form, up to a blank. */
static bool find(const char *words, size_t len, const char *name,
                 const char **form, size_t *form_len)
{
    size_t n = strlen(name);
    for (const char *at = words, *end = words + len; at < end;) {
        size_t word = strcspn(at, " \n");
        bool colon = word > n && at[n] == ':';
        if (word >= n && (word == n || colon) && !strncmp(at, name, n)) {
            *form = colon ? at + n + 1 : "";
            *form_len = colon ? word - n - 1 : 0;
            return true;
        }
        at += word + 1;
    }
    return false;
}

static enum err not_mapped(const char *factor, const char *target,
                           const char *words, size_t len, struct why *why)
{
    return err_set(
        why, ERR_INVALID, "factor %s: target %s does not map it; it maps: %.*s",
        factor, target, (int)(len < 250 ? len : 250), len ? words : "");
}

static bool among(const char *words, size_t len, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = words, *end = words + len; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        size_t word = (size_t)((bar ? bar : end) - at);
        if (word == n && !strncmp(at, value, n))
            return true;
        at += word + 1;
    }
    return false;
}

static enum err check_form(const char *form, size_t len, const char *value,
                           struct why *why)
{
    uint64_t n = 0;
    if (!len)
        return ERR_OK;
    if (len == 5 && !strncmp(form, "bytes", len))
        return units_bytes(value, &n, why);
    if (len == 5 && !strncmp(form, "count", len))
        return units_u64(value, UINT64_MAX, &n, why);
    if (among(form, len, value))
        return ERR_OK;
    return err_set(why, ERR_INVALID, "\"%.60s\" is not one of %.*s", value,
                   (int)len, form);
}

/* The level of target.NAME in the spec's list. */
static const char *level_of(const struct trial_spec *spec, const char *name,
                            char *buf, size_t size)
{
    size_t n = strlen(name), len;
    buf[0] = '\0';
    for (const char *line = spec->target_params; *line;
         line += len + (line[len] == '\n')) {
        len = strcspn(line, "\n");
        if (len > n && line[n] == '=' && !strncmp(line, name, n))
            (void)snprintf(buf, size, "%.*s", (int)(len - n - 1), line + n + 1);
    }
    return buf;
}

struct look {
    const struct trial_spec *spec;
    const char *words;
    size_t len;
    bool unmanaged;
};

/* Of one that runs by itself, what it stands on cannot be set. */
static enum err check_unmanaged(const struct look *l, const char *axis,
                                enum factor_kind kind, struct why *why)
{
    bool sender = !strcmp(axis, "congestion") || !strcmp(axis, "pin");
    bool fixed = kind == FACTOR_LINK || kind == FACTOR_TARGET ||
                 (kind == FACTOR_KERNEL && !sender);
    if (!fixed)
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "factor %s: target %s runs by itself (\"managed\": false); "
                   "only load, track, pin and congestion can vary",
                   axis, l->spec->target);
}

static enum err check_axis(const struct look *l, const char *axis,
                           struct why *why)
{
    static const char prefix[] = "target.";
    const struct factor *factor = NULL;
    const char *param = "", *form = "";
    size_t form_len = 0;
    char level[SETUP_VALUE_MAX + 1];
    enum err e = factor_find(axis, &factor, &param, why);
    if (e || !strcmp(axis, "target"))
        return e;
    if (l->unmanaged)
        return check_unmanaged(l, axis, factor->kind, why);
    if (factor->kind != FACTOR_TARGET)
        return ERR_OK;
    bool own = !strncmp(axis, prefix, strlen(prefix));
    if (own && find(l->words, l->len, "target.*", &form, &form_len))
        return param_check(l->spec, why);
    if (!find(l->words, l->len, axis, &form, &form_len))
        return not_mapped(axis, l->spec->target, l->words, l->len, why);
    if (!own)
        return ERR_OK;
    e = check_form(form, form_len,
                   level_of(l->spec, param, level, sizeof level), why);
    return e ? err_wrap(why, e, "%s", axis) : ERR_OK;
}

enum err maps_check(const struct msg_hello_reply *agent,
                    const struct experiment *ex, const struct trial_spec *spec,
                    struct why *why)
{
    struct look l = {.spec = spec};
    const char *form;
    size_t form_len;
    enum err e = ERR_OK;
    l.words = words_of(agent, spec->target, &l.len);
    if (!l.words || *l.words == '!')
        return ERR_OK;
    l.unmanaged = find(l.words, l.len, "unmanaged", &form, &form_len);
    for (size_t a = 0; !e && a < ex->n_axes; a++)
        e = check_axis(&l, ex->axes[a].name, why);
    return e;
}

const char *maps_missing(const struct msg_hello_reply *agent,
                         const char *target, char *buf, size_t size)
{
    size_t len = 0;
    const char *words = words_of(agent, target, &len);
    buf[0] = '\0';
    if (words && len && *words == '!')
        (void)snprintf(buf, size, "%.*s", (int)(len - 1), words + 1);
    return buf;
}

const char *maps_show(const struct msg_hello_reply *agent, char *buf,
                      size_t size)
{
    size_t used = 0;
    if (!agent->target_maps[0]) {
        (void)snprintf(buf, size, "%s", agent->targets);
        return buf;
    }
    buf[0] = '\0';
    for (const char *line = agent->target_maps; *line && used < size;) {
        size_t all = strcspn(line, "\n"), name = strcspn(line, "=");
        bool some = all > name + 1;
        if (name < all && !(some && line[name + 1] == '!'))
            used += (size_t)snprintf(buf + used, size - used, "%s%.*s%s%.*s%s",
                                     used ? ", " : "", (int)name, line,
                                     some ? " (" : "",
                                     some ? (int)(all - name - 1) : 0,
                                     line + name + 1, some ? ")" : "");
        line += all + (line[all] == '\n');
    }
    return buf;
}
