#include "target/templates.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"

struct kept {
    enum template_kind kind;
    char *name;
    struct jv *root;
};

struct templates {
    pthread_mutex_t lock;
    struct kept list[TEMPLATES_MAX];
    size_t n;
};

struct templates *templates_new(void)
{
    struct templates *t = calloc(1, sizeof *t);
    if (t)
        (void)pthread_mutex_init(&t->lock, NULL);
    return t;
}

void templates_free(struct templates *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++) {
        free(t->list[i].name);
        jv_free(t->list[i].root);
    }
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}

bool templates_match(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

/* A list of patterns, or a single one; Elasticsearch 5 calls it template. */
static bool is_for(const struct kept *t, const char *index)
{
    const struct jv *patterns = jv_get(t->root, "index_patterns");
    if (!patterns && t->kind == TEMPLATE_OLD)
        patterns = jv_get(t->root, "template");
    if (jv_type(patterns) == JV_STRING)
        return templates_match(jv_text(patterns, ""), index);
    for (size_t i = 0; i < jv_size(patterns); i++)
        if (templates_match(jv_text(jv_at(patterns, i), ""), index))
            return true;
    return false;
}

/* Place of a name; t->n: it is not there. Locked. */
static size_t find(const struct templates *t, enum template_kind kind,
                   const char *name)
{
    size_t i = 0;
    while (i < t->n &&
           (t->list[i].kind != kind || strcmp(t->list[i].name, name) != 0))
        i++;
    return i;
}

static enum err check(const struct templates *t, const struct kept *new,
                      struct why *why)
{
    const struct jv *parts = jv_get(new->root, "composed_of");
    bool old = new->kind == TEMPLATE_OLD;
    const struct jv *patterns = jv_get(new->root, "index_patterns");
    if (!patterns && old)
        patterns = jv_get(new->root, "template");
    if (jv_type(new->root) != JV_OBJECT)
        return err_set(why, ERR_INVALID, "the template is no object");
    if (new->kind == TEMPLATE_COMPONENT)
        return jv_type(jv_get(new->root, "template")) == JV_OBJECT
                   ? ERR_OK
                   : err_set(why, ERR_INVALID,
                             "Required [template]: an object with settings and "
                             "mappings");
    if (jv_type(patterns) != JV_STRING && !jv_size(patterns))
        return err_set(why, ERR_INVALID,
                       "index patterns are missing: [index_patterns] is a list "
                       "of patterns");
    for (size_t i = 0; i < jv_size(parts); i++)
        if (find(t, TEMPLATE_COMPONENT, jv_text(jv_at(parts, i), "")) == t->n)
            return err_set(why, ERR_INVALID,
                           "index template [%s] invalid, cause [it is composed "
                           "of [%.100s], which does not exist]",
                           new->name, jv_text(jv_at(parts, i), ""));
    return ERR_OK;
}

static enum err put(struct templates *t, struct kept *new, struct why *why)
{
    size_t i = find(t, new->kind, new->name);
    enum err e = check(t, new, why);
    if (!e && i == TEMPLATES_MAX)
        e = err_set(why, ERR_RANGE, "there are %u templates already",
                    TEMPLATES_MAX);
    if (e)
        return e;
    struct kept before = t->list[i];
    t->list[i] = *new;
    if (i == t->n)
        t->n++;
    *new = before; /* for the caller to free */
    return ERR_OK;
}

enum err templates_put(struct templates *t, enum template_kind kind,
                       const char *name, const char *text, size_t len,
                       struct why *why)
{
    struct kept new = {.kind = kind, .name = strdup(name)};
    enum err e = new.name ? jv_parse(&new.root, "body", text, len, why)
                          : err_set(why, ERR_NOMEM, "no memory");
    if (!e) {
        (void)pthread_mutex_lock(&t->lock);
        e = put(t, &new, why);
        (void)pthread_mutex_unlock(&t->lock);
    }
    free(new.name);
    jv_free(new.root);
    return e;
}

static bool wanted(const struct kept *t, enum template_kind kind,
                   const char *name)
{
    return t->kind == kind && (!*name || templates_match(name, t->name));
}

/* {"NAME": {...}} of old ones; of the others a list. */
bool templates_show(struct templates *t, enum template_kind kind,
                    const char *name, FILE *out)
{
    bool old = kind == TEMPLATE_OLD, index = kind == TEMPLATE_INDEX;
    struct jv *root = jv_new(JV_OBJECT), *list = NULL;
    bool any = false;
    if (!old)
        list = jv_add(root, index ? "index_templates" : "component_templates",
                      JV_ARRAY);
    (void)pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->n; i++) {
        const struct kept *k = &t->list[i];
        if (!wanted(k, kind, name))
            continue;
        any = true;
        if (old) {
            jv_add_copy(root, k->name, k->root);
            continue;
        }
        struct jv *one = jv_add(list, NULL, JV_OBJECT);
        jv_add_text(one, "name", k->name);
        jv_add_copy(one, index ? "index_template" : "component_template",
                    k->root);
    }
    (void)pthread_mutex_unlock(&t->lock);
    char *text = any || !*name ? jv_print(root, false) : NULL;
    if (text)
        (void)fputs(text, out);
    free(text);
    jv_free(root);
    return any || !*name;
}

bool templates_drop(struct templates *t, enum template_kind kind,
                    const char *name)
{
    bool any = false;
    (void)pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->n;)
        if (*name && wanted(&t->list[i], kind, name)) {
            free(t->list[i].name);
            jv_free(t->list[i].root);
            t->list[i] = t->list[--t->n];
            t->list[t->n] = (struct kept){.name = NULL};
            any = true;
        } else {
            i++;
        }
    (void)pthread_mutex_unlock(&t->lock);
    return any;
}

/* Of both, member by member; over's where they are no objects. */
static void merge(struct jv *out, const struct jv *base, const struct jv *over)
{
    const char *key;
    const struct jv *v;
    for (size_t i = 0; (v = jv_member(base, i, &key)); i++) {
        const struct jv *other = jv_get(over, key);
        if (other && jv_type(other) == JV_OBJECT && jv_type(v) == JV_OBJECT)
            merge(jv_add(out, key, JV_OBJECT), v, other);
        else
            jv_add_copy(out, key, other ? other : v);
    }
    for (size_t i = 0; (v = jv_member(over, i, &key)); i++)
        if (!jv_get(base, key))
            jv_add_copy(out, key, v);
}

/* Settings in one shape, so that those of one name meet: all beneath "index",
 * names without their "index.". */
static void put_settings(struct jv *body, const struct jv *settings)
{
    const char *key, *own;
    const struct jv *v, *inner = jv_get(settings, "index"), *w;
    struct jv *index =
        jv_add(jv_add(body, "settings", JV_OBJECT), "index", JV_OBJECT);
    for (size_t i = 0; (v = jv_member(settings, i, &key)); i++)
        if (strcmp(key, "index") != 0)
            jv_add_copy(index, strncmp(key, "index.", 6) ? key : key + 6, v);
    for (size_t i = 0; (w = jv_member(inner, i, &own)); i++)
        jv_add_copy(index, own, w);
}

/* {"properties"}, or with a type around it as Elasticsearch 6 has it. */
static const struct jv *typeless(const struct jv *mappings)
{
    const char *own;
    const struct jv *inner = jv_member(mappings, 0, &own);
    return !jv_get(mappings, "properties") && jv_get(inner, "properties")
               ? inner
               : mappings;
}

void templates_lay(struct jv **all, const struct jv *over)
{
    struct jv *shaped = jv_new(JV_OBJECT), *out = jv_new(JV_OBJECT);
    const char *key;
    const struct jv *v;
    for (size_t i = 0; (v = jv_member(over, i, &key)); i++) {
        if (!strcmp(key, "settings"))
            put_settings(shaped, v);
        else if (!strcmp(key, "mappings"))
            jv_add_copy(shaped, key, typeless(v));
        else if (!strcmp(key, "aliases"))
            jv_add_copy(shaped, key, v);
    }
    merge(out, *all, shaped);
    jv_free(shaped);
    jv_free(*all);
    *all = out;
}

/* The composable one with the highest priority; NULL. Locked. */
static const struct kept *best(const struct templates *t, const char *index)
{
    const struct kept *found = NULL;
    double high = 0;
    for (size_t i = 0; i < t->n; i++) {
        double priority = jv_number(jv_get(t->list[i].root, "priority"), 0);
        if (t->list[i].kind == TEMPLATE_INDEX && is_for(&t->list[i], index) &&
            (!found || priority > high)) {
            found = &t->list[i];
            high = priority;
        }
    }
    return found;
}

static void lay_composed(const struct templates *t, const struct kept *found,
                         struct jv **all)
{
    const struct jv *parts = jv_get(found->root, "composed_of");
    for (size_t i = 0; i < jv_size(parts); i++) {
        size_t at = find(t, TEMPLATE_COMPONENT, jv_text(jv_at(parts, i), ""));
        if (at < t->n)
            templates_lay(all, jv_get(t->list[at].root, "template"));
    }
    templates_lay(all, jv_get(found->root, "template"));
}

/* The old ones that match, by rising order; how many. Locked. */
static size_t lay_old(const struct templates *t, const char *index,
                      struct jv **all)
{
    bool done[TEMPLATES_MAX] = {false};
    size_t n = 0;
    for (;;) {
        size_t next = t->n;
        double low = 0;
        for (size_t i = 0; i < t->n; i++) {
            double order = jv_number(jv_get(t->list[i].root, "order"), 0);
            if (done[i] || t->list[i].kind != TEMPLATE_OLD ||
                !is_for(&t->list[i], index) || (next < t->n && order >= low))
                continue;
            next = i;
            low = order;
        }
        if (next == t->n)
            return n;
        done[next] = true;
        templates_lay(all, t->list[next].root);
        n++;
    }
}

enum err templates_apply(struct templates *t, const char *index,
                         struct creation *c, uint32_t default_shards,
                         struct why *why)
{
    size_t n = 1;
    (void)pthread_mutex_lock(&t->lock);
    bool none = !t->n;
    (void)pthread_mutex_unlock(&t->lock);
    if (none)
        return ERR_OK;
    struct jv *all = jv_new(JV_OBJECT);
    (void)pthread_mutex_lock(&t->lock);
    const struct kept *found = best(t, index);
    if (found)
        lay_composed(t, found, &all);
    else
        n = lay_old(t, index, &all);
    (void)pthread_mutex_unlock(&t->lock);
    if (!n) { /* nothing is for it: the body stays as it was sent */
        jv_free(all);
        return ERR_OK;
    }
    if (c->body)
        templates_lay(&all, c->body);
    jv_free(c->body);
    c->body = all;
    return creation_read(c, all, default_shards, why);
}
