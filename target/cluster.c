#include "target/cluster.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"

#define NAME_MAX_BYTES  127u
#define VALUE_MAX_BYTES 191u
#define SETTINGS_MAX    32u
/* Of one scope's answer, each value's byte being six at most, escaped. */
#define ANSWER_BYTES_MAX 7000u

enum { PERSISTENT, TRANSIENT, SCOPES };

static const char *const scope_names[SCOPES] = {"persistent", "transient"};

struct setting {
    char name[NAME_MAX_BYTES + 1]; /* "a.b.c" */
    char value[VALUE_MAX_BYTES + 1];
};

struct scope {
    size_t n;
    struct setting settings[SETTINGS_MAX]; /* ascending by name */
};

struct cluster {
    pthread_mutex_t lock;
    struct scope scopes[SCOPES];
};

/* What a request makes of the settings, before it is agreed to. */
struct draft {
    struct scope kept[SCOPES], echo[SCOPES];
};

struct cluster *cluster_new(void)
{
    struct cluster *c = calloc(1, sizeof *c);
    if (c)
        (void)pthread_mutex_init(&c->lock, NULL);
    return c;
}

void cluster_free(struct cluster *c)
{
    if (c)
        (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool below(const char *name, const char *prefix, size_t len)
{
    return !strncmp(name, prefix, len) && name[len] == '.';
}

/* Take back name, or with ".*" at its end all below it. */
static void take_back(struct scope *s, const char *name)
{
    size_t kept = 0, len = strlen(name);
    bool all = len > 2 && !strcmp(name + len - 2, ".*");
    for (size_t i = 0; i < s->n; i++) {
        const struct setting *x = &s->settings[i];
        bool gone =
            all ? below(x->name, name, len - 2) : strcmp(x->name, name) == 0;
        if (!gone)
            s->settings[kept++] = *x;
    }
    s->n = kept;
}

static size_t answer_bytes(const struct scope *s)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->n; i++)
        bytes += 3 * strlen(s->settings[i].name) +
                 6 * strlen(s->settings[i].value) + 16;
    return bytes;
}

static enum err set(struct scope *s, const char *name, const char *value,
                    struct why *why)
{
    take_back(s, name);
    size_t at = 0, len = strlen(name);
    for (size_t i = 0; i < s->n; i++) {
        const char *other = s->settings[i].name;
        if (below(other, name, len) || below(name, other, strlen(other)))
            return err_set(why, ERR_INVALID,
                           "setting [%s] cannot stand beside [%s]", name,
                           other);
        at += strcmp(other, name) < 0;
    }
    if (s->n == SETTINGS_MAX)
        return err_set(why, ERR_RANGE, "more than %u settings", SETTINGS_MAX);
    memmove(&s->settings[at + 1], &s->settings[at],
            (s->n - at) * sizeof *s->settings);
    (void)snprintf(s->settings[at].name, sizeof s->settings[at].name, "%s",
                   name);
    (void)snprintf(s->settings[at].value, sizeof s->settings[at].value, "%s",
                   value);
    s->n++;
    if (answer_bytes(s) > ANSWER_BYTES_MAX)
        return err_set(why, ERR_RANGE, "the settings are longer than %u bytes",
                       ANSWER_BYTES_MAX);
    return ERR_OK;
}

static bool name_good(const char *name, bool star)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t len = strlen(name), good = strspn(name, plain);
    if (star && good && !strcmp(name + good, "*") && name[good - 1] == '.')
        good = --len;
    return len && good == len && name[0] != '.' && !strstr(name, "..") &&
           (name[len - 1] != '.' || name[len] == '*');
}

/* As Elasticsearch keeps it: a text. ERR_INVALID, ERR_RANGE. */
static enum err value_text(const char *name, const struct jv *v, char *to,
                           struct why *why)
{
    const char *text = jv_text(v, NULL);
    uint64_t whole = jv_u64(v, UINT64_MAX);
    int n = -1;
    if (text)
        n = snprintf(to, VALUE_MAX_BYTES + 1, "%s", text);
    else if (jv_type(v) == JV_BOOL)
        n = snprintf(to, VALUE_MAX_BYTES + 1, "%s",
                     jv_bool(v, false) ? "true" : "false");
    else if (jv_type(v) == JV_NUMBER && whole != UINT64_MAX)
        n = snprintf(to, VALUE_MAX_BYTES + 1, "%llu",
                     (unsigned long long)whole);
    else if (jv_type(v) == JV_NUMBER)
        n = snprintf(to, VALUE_MAX_BYTES + 1, "%.15g", jv_number(v, 0));
    if (n < 0)
        return err_set(why, ERR_INVALID,
                       "setting [%s]: accepted are a text, a number, true, "
                       "false and null",
                       name);
    if ((unsigned)n > VALUE_MAX_BYTES)
        return err_set(why, ERR_RANGE, "setting [%s] is longer than %u bytes",
                       name, VALUE_MAX_BYTES);
    return ERR_OK;
}

/* Put v, a scope's object or one within, whose names begin with prefix. */
static enum err put(struct draft *d, int scope, const char *prefix,
                    const struct jv *v, struct why *why)
{
    char name[NAME_MAX_BYTES + 1], value[VALUE_MAX_BYTES + 1];
    enum err e = ERR_OK;
    for (size_t i = 0; i < jv_size(v) && !e; i++) {
        const char *key;
        const struct jv *x = jv_member(v, i, &key);
        int n = snprintf(name, sizeof name, "%s%s%s", prefix,
                         prefix[0] ? "." : "", key);
        if (n < 0 || (unsigned)n > NAME_MAX_BYTES ||
            !name_good(name, jv_type(x) == JV_NULL))
            return err_set(why, ERR_INVALID,
                           "%s setting [%.100s] is no setting's name",
                           scope_names[scope], name);
        if (jv_type(x) == JV_OBJECT) {
            e = put(d, scope, name, x, why);
        } else if (jv_type(x) == JV_NULL) {
            take_back(&d->kept[scope], name);
        } else {
            e = value_text(name, x, value, why);
            if (!e)
                e = set(&d->kept[scope], name, value, why);
            if (!e)
                e = set(&d->echo[scope], name, value, why);
        }
    }
    return e;
}

/* Settings i to end of s, which agree in their names' first skip bytes. */
static void write_nested(struct out *o, const struct scope *s, size_t i,
                         size_t end, size_t skip)
{
    while (i < end) {
        const char *rest = s->settings[i].name + skip;
        size_t len = strcspn(rest, "."), next = i + 1;
        char key[NAME_MAX_BYTES + 1];
        if (!rest[len]) {
            out_text(o, rest, s->settings[i++].value);
            continue;
        }
        while (next < end && below(s->settings[next].name + skip, rest, len))
            next++;
        memcpy(key, rest, len);
        key[len] = '\0';
        out_open(o, key, '{');
        write_nested(o, s, i, next, skip + len + 1);
        out_close(o, '}');
        i = next;
    }
}

static void write_scopes(struct out *o, const struct scope scopes[SCOPES])
{
    for (int i = 0; i < SCOPES; i++) {
        out_open(o, scope_names[i], '{');
        write_nested(o, &scopes[i], 0, scopes[i].n, 0);
        out_close(o, '}');
    }
    out_close(o, '}');
}

static enum err put_all(struct draft *d, const char *text, size_t len,
                        struct why *why)
{
    struct jv *body = NULL;
    size_t settings = 0;
    enum err e = jv_parse(&body, "body", text, len, why);
    for (size_t i = 0; !e && i < jv_size(body); i++) {
        const char *key = "";
        const struct jv *v = jv_member(body, i, &key);
        int scope = !strcmp(key, scope_names[TRANSIENT]);
        if (strcmp(key, scope_names[scope]) != 0 || jv_type(v) != JV_OBJECT)
            e = err_set(why, ERR_INVALID,
                        "[cluster_update_settings_request] unknown field "
                        "[%.100s], accepted are the objects [persistent] and "
                        "[transient]",
                        key);
        else
            e = put(d, scope, "", v, why);
        settings += jv_size(v);
    }
    if (!e && !settings)
        e = err_set(why, ERR_INVALID,
                    "Validation Failed: 1: no settings to update;");
    jv_free(body);
    return e;
}

enum err cluster_put(struct cluster *c, const char *text, size_t len,
                     struct out *o, struct why *why)
{
    struct draft *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(why, ERR_NOMEM, "no memory for settings");
    (void)pthread_mutex_lock(&c->lock);
    memcpy(d->kept, c->scopes, sizeof d->kept);
    enum err e = put_all(d, text, len, why);
    if (!e)
        memcpy(c->scopes, d->kept, sizeof d->kept);
    (void)pthread_mutex_unlock(&c->lock);
    if (!e) {
        out_open(o, NULL, '{');
        out_bool(o, "acknowledged", true);
        write_scopes(o, d->echo);
    }
    free(d);
    return e;
}

void cluster_show(struct cluster *c, struct out *o)
{
    (void)pthread_mutex_lock(&c->lock);
    out_open(o, NULL, '{');
    write_scopes(o, c->scopes);
    (void)pthread_mutex_unlock(&c->lock);
}
