#include "controller/experiment_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "common/units.h"

#define WORD_MAX 256u

/* Wrap e with the place of v: "FILE:LINE: key". */
static enum err at(const struct jv *v, enum err e, struct why *why)
{
    char where[EXPERIMENT_PATH_MAX];
    return err_wrap(why, e, "%s", jv_where(v, where, sizeof where));
}

/* A level, a number or a duration as text: strings as they are, whole numbers
 * in digits, bools as on and off. */
static enum err word(const struct jv *v, char buf[WORD_MAX], struct why *why)
{
    double number = jv_number(v, 0);
    const char *text = jv_text(v, "");
    enum jv_type type = jv_type(v);
    if (type == JV_STRING && strlen(text) >= WORD_MAX)
        return at(
            v,
            err_set(why, ERR_RANGE, "longer than %u characters", WORD_MAX - 1),
            why);
    if (type == JV_STRING)
        (void)snprintf(buf, WORD_MAX, "%s", text);
    else if (type == JV_BOOL)
        (void)snprintf(buf, WORD_MAX, "%s", jv_bool(v, false) ? "on" : "off");
    else if (type == JV_NUMBER && number == floor(number) &&
             fabs(number) < 0x1p53)
        (void)snprintf(buf, WORD_MAX, "%.0f", number);
    else if (type == JV_NUMBER)
        (void)snprintf(buf, WORD_MAX, "%.10g", number);
    else
        return at(v, err_set(why, ERR_INVALID, "a text or a number is needed"),
                  why);
    return ERR_OK;
}

/* Setters of single keys; each takes the value as text. */
static enum err set_name(struct experiment *ex, const char *text,
                         struct why *why)
{
    return setup_copy(ex->name, sizeof ex->name, "name", text, why);
}

static enum err set_track(struct experiment *ex, const char *text,
                          struct why *why)
{
    return setup_copy(ex->track, sizeof ex->track, "track", text, why);
}

static enum err set_challenge(struct experiment *ex, const char *text,
                              struct why *why)
{
    return setup_copy(ex->challenge, sizeof ex->challenge, "challenge", text,
                      why);
}

static enum err set_target(struct experiment *ex, const char *text,
                           struct why *why)
{
    return setup_copy(ex->target, sizeof ex->target, "target", text, why);
}

static enum err set_seed(struct experiment *ex, const char *text,
                         struct why *why)
{
    ex->has_seed = true;
    return units_u64(text, UINT64_MAX, &ex->seed, why);
}

static enum err set_warmup(struct experiment *ex, const char *text,
                           struct why *why)
{
    return units_duration(text, &ex->warmup_ns, why);
}

static enum err set_measure(struct experiment *ex, const char *text,
                            struct why *why)
{
    enum err e = units_duration(text, &ex->measure_ns, why);
    if (!e && !ex->measure_ns)
        e = err_set(why, ERR_RANGE, "\"0\" measures nothing");
    return e;
}

static enum err set_version(struct experiment *ex, const char *text,
                            struct why *why)
{
    (void)ex;
    if (strcmp(text, "1"))
        return err_set(why, ERR_VERSION,
                       "version %s is not known; this pitwall reads 1", text);
    return ERR_OK;
}

static const struct key {
    const char *name;
    enum err (*set)(struct experiment *ex, const char *text, struct why *why);
} keys[] = {
    {"version", set_version},      {"name", set_name},
    {"track", set_track},          {"challenge", set_challenge},
    {"target", set_target},        {"iterations", experiment_iterations},
    {"order", experiment_order},   {"seed", set_seed},
    {"warmup", set_warmup},        {"measure", set_measure},
    {"canary", experiment_canary},
};

static const char *const accepted[] = {
    "version", "name",      "track",      "challenge", "target", "factors",
    "exclude", "zip",       "iterations", "order",     "seed",   "warmup",
    "measure", "telemetry", "canary",     "accept",    "note",   NULL};

static enum err read_key(struct experiment *ex, const struct jv *doc,
                         const struct key *key, struct why *why)
{
    char text[WORD_MAX];
    const struct jv *v = jv_get(doc, key->name);
    if (!v)
        return ERR_OK;
    enum err e = word(v, text, why);
    if (e)
        return e;
    e = key->set(ex, text, why);
    return e ? at(v, e, why) : ERR_OK;
}

static enum err read_axis(struct experiment *ex, const char *name,
                          const struct jv *list, struct why *why)
{
    char text[WORD_MAX];
    enum err e = ERR_OK;
    size_t n = jv_size(list);
    if (jv_type(list) != JV_ARRAY)
        return at(list, err_set(why, ERR_INVALID, "a list of levels is needed"),
                  why);
    if (n > LEVEL_LIST_MAX)
        return at(
            list,
            err_set(why, ERR_RANGE, "more than %u levels", LEVEL_LIST_MAX),
            why);
    struct level *levels = calloc(LEVEL_LIST_MAX, sizeof *levels);
    if (!levels)
        return err_set(why, ERR_NOMEM, "levels");
    for (size_t i = 0; !e && i < n; i++) {
        e = word(jv_at(list, i), text, why);
        if (!e) {
            e = level_parse(text, &levels[i], why);
            if (e)
                e = at(jv_at(list, i), e, why);
        }
    }
    if (!e) {
        e = experiment_axis(ex, name, levels, n, why);
        if (e)
            e = at(list, e, why);
    }
    free(levels);
    return e;
}

static enum err read_axes(struct experiment *ex, const struct jv *axes,
                          struct why *why)
{
    enum err e = ERR_OK;
    if (!axes)
        return ERR_OK;
    if (jv_type(axes) != JV_OBJECT)
        return at(axes,
                  err_set(why, ERR_INVALID,
                          "an object of factors is needed: "
                          "{\"heap\": [\"1g\", \"2g\"]}"),
                  why);
    for (size_t i = 0; !e && i < jv_size(axes); i++) {
        const char *name = NULL;
        const struct jv *list = jv_member(axes, i, &name);
        e = read_axis(ex, name, list, why);
    }
    return e;
}

/* Join the elements of an array with commas. */
static enum err joined(const struct jv *list, char buf[WORD_MAX],
                       struct why *why)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < jv_size(list); i++) {
        char one[WORD_MAX];
        enum err e = word(jv_at(list, i), one, why);
        if (e)
            return e;
        int n =
            snprintf(buf + used, WORD_MAX - used, "%s%s", i ? "," : "", one);
        if (n < 0 || (size_t)n >= WORD_MAX - used)
            return at(list,
                      err_set(why, ERR_RANGE, "longer than %u characters",
                              WORD_MAX - 1),
                      why);
        used += (size_t)n;
    }
    return ERR_OK;
}

static enum err read_telemetry(struct experiment *ex, const struct jv *v,
                               struct why *why)
{
    char text[WORD_MAX];
    if (!v)
        return ERR_OK;
    enum err e =
        jv_type(v) == JV_ARRAY ? joined(v, text, why) : word(v, text, why);
    if (e)
        return e;
    e = experiment_telemetry(ex, text, why);
    return e ? at(v, e, why) : ERR_OK;
}

static enum err read_accept(struct experiment *ex, const struct jv *rules,
                            struct why *why)
{
    enum err e = ERR_OK;
    if (rules && jv_type(rules) != JV_OBJECT)
        return at(rules,
                  err_set(why, ERR_INVALID,
                          "an object of rules is needed: "
                          "{\"foreign_cpu\": 0.5, \"drift\": \"off\"}"),
                  why);
    for (size_t i = 0; !e && i < jv_size(rules); i++) {
        char text[WORD_MAX];
        const char *name = NULL;
        const struct jv *v = jv_member(rules, i, &name);
        e = word(v, text, why);
        if (!e && (e = accept_set(&ex->accept, name, text, why)))
            e = at(v, e, why);
    }
    return e;
}

/* The file's folder and, without a name of its own, its name without ".json" */
static enum err take_path(struct experiment *ex, const char *path,
                          struct why *why)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t len = slash ? (size_t)(slash - path) : 0;
    if (len >= sizeof ex->folder)
        return err_set(why, ERR_RANGE, "%s: path is too long", path);
    memcpy(ex->folder, path, len);
    ex->folder[len] = '\0';
    if (slash && !len)
        (void)snprintf(ex->folder, sizeof ex->folder, "/");
    if (ex->name[0])
        return ERR_OK;
    size_t n = strlen(base);
    n -= n > 5 && !strcmp(base + n - 5, ".json") ? 5 : 0;
    (void)snprintf(ex->name, sizeof ex->name, "%.*s", (int)n, base);
    return ERR_OK;
}

/* What a reader of its reports should know: which levels are scaled, say. */
static enum err read_note(struct experiment *ex, const struct jv *v,
                          struct why *why)
{
    if (!v)
        return ERR_OK;
    if (jv_type(v) != JV_STRING)
        return at(v, err_set(why, ERR_INVALID, "a text is needed"), why);
    enum err e =
        setup_copy(ex->note, sizeof ex->note, "note", jv_text(v, ""), why);
    return e ? at(v, e, why) : ERR_OK;
}

enum err experiment_file_read(struct experiment *ex, const struct jv *doc,
                              const char *path, struct why *why)
{
    if (jv_type(doc) != JV_OBJECT)
        return at(doc, err_set(why, ERR_INVALID, "an experiment is an object"),
                  why);
    enum err e = jv_only(doc, accepted, why);
    if (e)
        return e;
    if (!jv_get(doc, "version"))
        return at(doc, err_set(why, ERR_INVALID, "\"version\": 1 is missing"),
                  why);
    for (size_t i = 0; !e && i < sizeof keys / sizeof *keys; i++)
        e = read_key(ex, doc, &keys[i], why);
    if (!e)
        e = read_axes(ex, jv_get(doc, "factors"), why);
    if (!e)
        e = read_telemetry(ex, jv_get(doc, "telemetry"), why);
    if (!e)
        e = read_accept(ex, jv_get(doc, "accept"), why);
    if (!e)
        e = read_note(ex, jv_get(doc, "note"), why);
    return e ? e : take_path(ex, path, why);
}

/* One exclude, {"heap": "1g", "predictor": ["a", "b"]} or the option's text,
 * as the option's text. */
static enum err exclude_text(const struct jv *v, char buf[WORD_MAX],
                             struct why *why)
{
    size_t used = 0;
    if (jv_type(v) != JV_OBJECT)
        return word(v, buf, why);
    buf[0] = '\0';
    for (size_t i = 0; i < jv_size(v); i++) {
        const char *name = NULL;
        const struct jv *member = jv_member(v, i, &name);
        bool list = jv_type(member) == JV_ARRAY;
        for (size_t k = 0; k < (list ? jv_size(member) : 1); k++) {
            char one[WORD_MAX];
            enum err e = word(list ? jv_at(member, k) : member, one, why);
            if (e)
                return e;
            int n = snprintf(buf + used, WORD_MAX - used, "%s%s=%s",
                             used ? "," : "", name, one);
            if (n < 0 || (size_t)n >= WORD_MAX - used)
                return at(v,
                          err_set(why, ERR_RANGE, "longer than %u characters",
                                  WORD_MAX - 1),
                          why);
            used += (size_t)n;
        }
    }
    return ERR_OK;
}

static enum err need_array(const struct jv *v, struct why *why)
{
    return !v || jv_type(v) == JV_ARRAY
               ? ERR_OK
               : at(v, err_set(why, ERR_INVALID, "a list is needed"), why);
}

enum err experiment_file_conditions(struct experiment *ex, const struct jv *doc,
                                    struct why *why)
{
    char text[WORD_MAX];
    const struct jv *excludes = jv_get(doc, "exclude");
    const struct jv *zips = jv_get(doc, "zip");
    enum err e = need_array(excludes, why);
    if (!e)
        e = need_array(zips, why);
    for (size_t i = 0; !e && i < jv_size(excludes); i++) {
        const struct jv *v = jv_at(excludes, i);
        e = exclude_text(v, text, why);
        if (!e && (e = experiment_exclude(ex, text, why)))
            e = at(v, e, why);
    }
    for (size_t i = 0; !e && i < jv_size(zips); i++) {
        const struct jv *v = jv_at(zips, i);
        e = jv_type(v) == JV_ARRAY ? joined(v, text, why) : word(v, text, why);
        if (!e && (e = experiment_zip(ex, text, why)))
            e = at(v, e, why);
    }
    return e;
}

static void print_axes(const struct experiment *ex, struct jv *root)
{
    struct jv *axes = jv_add(root, "factors", JV_OBJECT);
    for (size_t a = 0; a < ex->n_axes; a++) {
        struct jv *list = jv_add(axes, ex->axes[a].name, JV_ARRAY);
        for (size_t i = 0; i < ex->axes[a].n_levels; i++) {
            const struct level *level = &ex->axes[a].levels[i];
            char text[sizeof level->label + sizeof level->value];
            bool own = strcmp(level->label, level->value) != 0;
            (void)snprintf(text, sizeof text, "%s%s%s", own ? level->label : "",
                           own ? "@" : "", level->value);
            jv_add_text(list, NULL, text);
        }
    }
}

static void print_conditions(const struct experiment *ex, struct jv *root)
{
    struct jv *excludes = jv_add(root, "exclude", JV_ARRAY);
    for (size_t i = 0; i < ex->n_excludes; i++)
        jv_add_text(excludes, NULL, ex->excludes[i].text);
    struct jv *zips = jv_add(root, "zip", JV_ARRAY);
    for (size_t i = 0; i < ex->n_zips; i++) {
        struct jv *zip = jv_add(zips, NULL, JV_ARRAY);
        for (size_t a = 0; a < ex->n_axes; a++)
            if (ex->zips[i].axes & 1u << a)
                jv_add_text(zip, NULL, ex->axes[a].name);
    }
}

static void print_accept(const struct experiment *ex, struct jv *root)
{
    struct jv *rules = jv_add(root, "accept", JV_OBJECT);
    for (size_t i = 0; i < ACCEPT_LAST; i++) {
        double limit = ex->accept.limit[i];
        const char *name = accept_name((enum accept_rule)i);
        if (isinf(limit))
            jv_add_text(rules, name, "off");
        else
            jv_add_number(rules, name, limit);
    }
}

char *experiment_file_print(const struct experiment *ex)
{
    static const char *const canaries[] = {"auto", "on", "off"};
    char text[32];
    struct jv *root = jv_new(JV_OBJECT);
    jv_add_u64(root, "version", 1);
    jv_add_text(root, "name", ex->name);
    jv_add_text(root, "track", ex->track);
    if (ex->challenge[0])
        jv_add_text(root, "challenge", ex->challenge);
    jv_add_text(root, "target", ex->target);
    print_axes(ex, root);
    print_conditions(ex, root);
    jv_add_u64(root, "iterations", ex->iterations);
    jv_add_text(root, "order", order_name(ex->order));
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)ex->seed);
    jv_add_text(root, "seed", text); /* a double would lose its low bits */
    (void)snprintf(text, sizeof text, "%lluns",
                   (unsigned long long)ex->warmup_ns);
    jv_add_text(root, "warmup", text);
    (void)snprintf(text, sizeof text, "%lluns",
                   (unsigned long long)ex->measure_ns);
    jv_add_text(root, "measure", text);
    jv_add_text(root, "telemetry", ex->telemetry);
    jv_add_text(root, "canary", canaries[ex->canary]);
    print_accept(ex, root);
    if (ex->note[0])
        jv_add_text(root, "note", ex->note);
    char *out = jv_print(root, true);
    jv_free(root);
    return out;
}
