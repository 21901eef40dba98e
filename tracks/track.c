#include "tracks/track.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/declared.h"
#include "tracks/expand.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/render.h"
#include "tracks/source.h"

#define TRACK_BYTES_MAX      ((size_t)1 << 20)
#define CHALLENGES_MAX       64
#define OPERATIONS_MAX       1000
#define TRACK_SUFFIX         ".json"
#define DESCRIPTION_MAX      2000
#define CHALLENGE_OF_ITS_OWN "default"

struct track {
    struct render render;
    char *dir;
    char name[PLAN_NAME_MAX + 1];
    struct jv *root;
    struct declared declared;
    const char *description;
    struct {
        const char *name;
        const struct jv *v;
        bool is_default;
    } challenges[CHALLENGES_MAX];
    size_t n_challenges;
};

/* The track's name and directory from its path: "x.json" is x, and as Rally
 * has it "x/track.json" is x too. */
static enum err name_read(struct track *t, const char *path, struct why *why)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return err_errno(why, errno, "%s", path);
    char *base = strrchr(real, '/') + 1;
    size_t len = strlen(base), suffix = strlen(TRACK_SUFFIX);
    base[-1] = 0;
    t->dir = strdup(*real ? real : "/");
    if (!t->dir)
        return err_set(why, ERR_NOMEM, "%s: out of memory", path);
    if (!strcmp(base, "track" TRACK_SUFFIX) && *real) {
        base = strrchr(real, '/') + 1;
        len = strlen(base);
    } else if (len > suffix && !strcmp(base + len - suffix, TRACK_SUFFIX)) {
        len -= suffix;
    }
    if (len > PLAN_NAME_MAX)
        return err_set(why, ERR_INVALID,
                       "%s: a track's name has at most %d characters", path,
                       PLAN_NAME_MAX);
    memcpy(t->name, base, len);
    return ERR_OK;
}

static enum err challenge_read(struct track *t, const struct jv *v,
                               struct why *why)
{
    static const char *const keys[] = {
        "name",       "description", "user-info",        "default", "meta",
        "parameters", "schedule",    "cluster-settings", NULL};
    const char *name;
    bool is_default = false;
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = field_need_text(v, "name", PLAN_NAME_MAX, &name, why);
    if (!e)
        e = field_bool(v, "default", &is_default, why);
    for (size_t i = 0; i < t->n_challenges && !e; i++) {
        if (!strcmp(t->challenges[i].name, name))
            e = field_error(v, why, "the name \"%s\" is taken", name);
        else if (is_default && t->challenges[i].is_default)
            e = field_error(v, why, "a second default challenge");
    }
    if (e)
        return e;
    t->challenges[t->n_challenges].name = name;
    t->challenges[t->n_challenges].v = v;
    t->challenges[t->n_challenges++].is_default = is_default;
    return ERR_OK;
}

/* Exactly one of "schedule", "challenge", "challenges". */
static enum err challenges_read(struct track *t, struct why *why)
{
    const struct jv *schedule = jv_get(t->root, "schedule"),
                    *one = jv_get(t->root, "challenge"),
                    *many = jv_get(t->root, "challenges");
    if (!!schedule + !!one + !!many != 1)
        return field_error(t->root, why,
                           "needs one of \"schedule\", \"challenge\", "
                           "\"challenges\"");
    if (schedule) {
        t->challenges[0].name = CHALLENGE_OF_ITS_OWN;
        t->challenges[0].v = t->root;
        t->challenges[0].is_default = true;
        t->n_challenges = 1;
        return ERR_OK;
    }
    enum err e = ERR_OK;
    if (one)
        e = challenge_read(t, one, why);
    else
        e = field_list(t->root, "challenges", CHALLENGES_MAX, &many, why);
    bool any = false;
    for (size_t i = 0; !e && i < jv_size(many); i++)
        e = challenge_read(t, jv_at(many, i), why);
    for (size_t i = 0; i < t->n_challenges; i++)
        any = any || t->challenges[i].is_default;
    if (!e && t->n_challenges == 1)
        t->challenges[0].is_default = any = true;
    if (!e && !any)
        e = field_error(many, why, "one of several must be \"default\": true");
    return e;
}

/* Operations have names, each its own. Their types are looked at when a
 * challenge uses them: others may need types that are not there. */
static enum err operations_check(const struct track *t, struct why *why)
{
    const struct jv *list, *v;
    const char *name, *other;
    if (!jv_get(t->root, "operations"))
        return ERR_OK;
    enum err e = field_list(t->root, "operations", OPERATIONS_MAX, &list, why);
    for (size_t i = 0; !e && (v = jv_at(list, i)); i++) {
        e = field_need_text(v, "name", PLAN_NAME_MAX, &name, why);
        for (size_t k = 0; k < i && !e; k++) {
            other = jv_text(jv_get(jv_at(list, k), "name"), "");
            if (!strcmp(name, other))
                e = field_error(v, why, "the name \"%s\" is taken", name);
        }
    }
    return e;
}

static enum err track_read(struct track *t, struct expand *expand,
                           struct why *why)
{
    static const char *const keys[] = {"version",
                                       "description",
                                       "meta",
                                       "parameters",
                                       "indices",
                                       "data-streams",
                                       "templates",
                                       "composable-templates",
                                       "component-templates",
                                       "corpora",
                                       "operations",
                                       "dependencies",
                                       "challenge",
                                       "challenges",
                                       "schedule",
                                       NULL};
    uint64_t version = 2;
    t->description = "";
    enum err e = field_only(t->root, keys, NULL, why);
    if (!e)
        e = field_whole(t->root, "version", 2, 2, &version, why);
    if (!e)
        e = field_text(t->root, "description", DESCRIPTION_MAX, &t->description,
                       why);
    if (!e)
        e = declared_read(&t->declared, &t->render, expand, why);
    if (!e)
        e = operations_check(t, why);
    if (!e)
        e = challenges_read(t, why);
    if (!e)
        e = expand_check_used(expand, why);
    return e;
}

enum err track_open(struct track **out, const char *path,
                    const struct track_param *params, size_t n_params,
                    struct why *why)
{
    struct expand expand;
    *out = NULL;
    struct track *t = calloc(1, sizeof *t);
    if (!t)
        return err_set(why, ERR_NOMEM, "%s: out of memory", path);
    enum err e = expand_init(&expand, params, n_params, why);
    if (!e)
        e = name_read(t, path, why);
    if (!e)
        e = source_parse(&expand, path, TRACK_BYTES_MAX, &t->root, why);
    if (!e) {
        t->render.root = t->root;
        t->render.name = t->name;
        t->render.dir = t->dir;
        e = track_read(t, &expand, why);
    }
    if (e) {
        track_close(t);
        return e;
    }
    *out = t;
    return ERR_OK;
}

void track_close(struct track *t)
{
    if (!t)
        return;
    declared_free(&t->declared);
    jv_free(t->root);
    free(t->dir);
    free(t);
}

const char *track_name(const struct track *t)
{
    return t->name;
}

const char *track_description(const struct track *t)
{
    return t->description;
}

const char *track_challenge(const struct track *t, size_t i)
{
    return i < t->n_challenges ? t->challenges[i].name : NULL;
}

static enum err challenge_find(const struct track *t, const char *name,
                               size_t *found, struct why *why)
{
    char all[400] = "";
    size_t at = 0;
    for (size_t i = 0; i < t->n_challenges; i++) {
        const char *other = t->challenges[i].name;
        if (name ? !strcmp(other, name) : t->challenges[i].is_default) {
            *found = i;
            return ERR_OK;
        }
        if (at < sizeof all)
            at += (size_t)snprintf(all + at, sizeof all - at, "%s%s",
                                   i ? ", " : "", other);
    }
    return err_set(why, ERR_NOTFOUND,
                   "track %s: there is no challenge \"%s\"; it has: %s",
                   t->name, name ? name : "", all);
}

enum err track_render(const struct track *t,
                      const struct track_options *options, char **plan_json,
                      struct why *why)
{
    size_t i = 0;
    struct jv *plan = NULL;
    struct render render = t->render;
    *plan_json = NULL;
    render.test_mode = options && options->test_mode;
    enum err e =
        challenge_find(t, options ? options->challenge : NULL, &i, why);
    if (!e)
        e = render_challenge(&render, t->challenges[i].v, t->challenges[i].name,
                             &plan, why);
    if (e)
        return e;
    char *text = jv_print(plan, false);
    jv_free(plan);
    if (strlen(text) > PLAN_BYTES_MAX) {
        e = err_set(why, ERR_RANGE,
                    "track %s: challenge %s renders to %zu bytes; at most %zu "
                    "are accepted",
                    t->name, t->challenges[i].name, strlen(text),
                    PLAN_BYTES_MAX);
        free(text);
        return e;
    }
    *plan_json = text;
    return ERR_OK;
}
