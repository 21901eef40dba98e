#include "agent/executor/target_read.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/jvm.h"
#include "agent/executor/target_make.h"
#include "agent/executor/target_program.h"
#include "agent/executor/target_reach.h"
#include "agent/executor/target_text.h"
#include "agent/executor/target_value.h"
#include "common/json_place.h"

#define NAMES_MAX 64u /* of members of an object, items of a list */

/* Texts with names in them: a list (of the factor mapping, NULL: none). */
static enum err check_texts(const struct target_def *def, const struct jv *list,
                            const char *mapping, struct why *why)
{
    if (list && (jv_type(list) != JV_ARRAY || jv_size(list) > NAMES_MAX))
        return target_text_refuse(list, "a list of at most 64 texts", why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(list); i++) {
        const struct jv *v = jv_at(list, i);
        const char *text = jv_text(v, NULL);
        if (!text)
            return target_text_refuse(v, "a text", why);
        bool place = !strcmp(text, "{{param}}") ||
                     (def->jvm && !strcmp(text, "{{jvm}}"));
        if (mapping || !place)
            e = target_text_place(v, target_check_text(def, mapping, text, why),
                                  why);
    }
    return e;
}

/* Factors -------------------------------------------------------------------
 */

static enum err check_is(const struct jv *is, struct why *why)
{
    static const char accepted[] =
        "\"bytes\", \"count\" or a list of 1 to 16 words";
    const char *word = jv_text(is, NULL);
    if (!is || (word && (!strcmp(word, "bytes") || !strcmp(word, "count"))))
        return ERR_OK;
    if (jv_type(is) != JV_ARRAY || !jv_size(is) || jv_size(is) > 16)
        return target_text_refuse(is, accepted, why);
    for (size_t i = 0; i < jv_size(is); i++)
        if (!target_text_plain(jv_text(jv_at(is, i), ""), 24))
            return target_text_refuse(jv_at(is, i), accepted, why);
    return ERR_OK;
}

static enum err check_factor(const struct target_def *def, const char *name,
                             const struct jv *v, struct why *why)
{
    static const char *const keys[] = {"argv", "is", "default", NULL};
    bool heap = !strcmp(name, "heap"), predictor = !strcmp(name, "predictor");
    bool own = !strncmp(name, "target.", 7) &&
               strspn(name + 7, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
                   strlen(name + 7) &&
               name[7] && strlen(name) <= 40;
    if (!heap && !predictor && !own)
        return target_text_refuse(
            v,
            "heap, predictor or target.NAME, the name of a-z, 0-9 "
            "and _: other factors are not the target's",
            why);
    if (jv_type(v) != JV_OBJECT)
        return check_texts(def, v, name, why);
    enum err e = jv_only(v, keys, why);
    if (!e && !own && (jv_get(v, "is") || jv_get(v, "default")))
        e = target_text_refuse(v, "\"argv\" alone for heap and predictor", why);
    if (!e)
        e = check_is(jv_get(v, "is"), why);
    char text[128];
    if (!e)
        e = target_text_copy(jv_get(v, "default"), "a text of 1 to 127 bytes",
                             text, sizeof text, why);
    return e ? e : check_texts(def, jv_get(v, "argv"), name, why);
}

static enum err check_factors(const struct target_def *def, struct why *why)
{
    const struct jv *factors = jv_get(def->doc, "factors");
    if (factors &&
        (jv_type(factors) != JV_OBJECT || jv_size(factors) > NAMES_MAX))
        return target_text_refuse(factors, "an object of at most 64 factors",
                                  why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(factors); i++) {
        const char *name = "";
        const struct jv *v = jv_member(factors, i, &name);
        e = check_factor(def, name, v, why);
    }
    return e;
}

/* Program, variables, files -------------------------------------------------
 */

static enum err check_env(const struct target_def *def, struct why *why)
{
    const struct jv *env = jv_get(def->doc, "env");
    if (env && (jv_type(env) != JV_OBJECT || jv_size(env) > NAMES_MAX))
        return target_text_refuse(env, "an object of at most 64 variables",
                                  why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(env); i++) {
        const char *name = "";
        const struct jv *v = jv_member(env, i, &name);
        if (!name[0] || strlen(name) > 64 || strchr(name, '=') ||
            !jv_text(v, NULL))
            return target_text_refuse(
                v, "a text, under a name of 1 to 64 bytes", why);
        e = target_text_place(
            v, target_check_text(def, NULL, jv_text(v, ""), why), why);
    }
    return e;
}

static enum err check_files(const struct target_def *def, struct why *why)
{
    const struct jv *files = jv_get(def->doc, "files");
    if (files && (jv_type(files) != JV_OBJECT || jv_size(files) > NAMES_MAX))
        return target_text_refuse(files, "an object of at most 64 files", why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(files); i++) {
        const char *name = "";
        const struct jv *v = jv_member(files, i, &name);
        const char *from = jv_text(v, "");
        char *text = NULL;
        if (!target_text_plain(name, 64) || !target_text_plain(from, 64) ||
            !strcmp(name, TARGET_PRINTED))
            return target_text_refuse(
                v,
                "the name of a file beside the definition, under "
                "the name that it gets; no folders",
                why);
        e = target_text_place(v, target_value_file(def, from, &text, why), why);
        if (!e)
            e = target_text_place(v, target_check_text(def, NULL, text, why),
                                  why);
        free(text);
    }
    return e;
}

/* The whole ------------------------------------------------------------------
 */

/* Another build of pitwall-target: all but its program is known. */
static enum err read_like(struct targets *targets, struct target_def *def,
                          struct why *why)
{
    static const char *const keys[] = {"version", "about", "like", "argv",
                                       "env",     "needs", NULL};
    const struct jv *like = jv_get(def->doc, "like");
    if (strcmp(jv_text(like, ""), "pitwall") != 0)
        return target_text_refuse(
            like, "\"pitwall\": a build of pitwall-target", why);
    def->contract = true;
    def->oom_exit = CHILD_EXIT_OOM;
    enum err e = jv_only(def->doc, keys, why);
    if (!e)
        e = check_texts(def, jv_get(def->doc, "argv"), NULL, why);
    if (!e)
        e = check_env(def, why);
    return e ? e : target_program_find(targets, def, why);
}

static enum err read_last(struct target_def *def, struct why *why)
{
    static const char accepted[] =
        "the name of a file that it leaves in its working folder; no folders";
    const struct jv *v = jv_get(def->doc, "last");
    if (v && !target_text_plain(jv_text(v, ""), sizeof def->last - 1))
        return target_text_refuse(v, accepted, why);
    return target_text_copy(v, accepted, def->last, sizeof def->last, why);
}

static enum err read_managed(struct targets *targets, struct target_def *def,
                             struct why *why)
{
    enum err e = check_factors(def, why);
    if (!e)
        e = check_texts(def, jv_get(def->doc, "argv"), NULL, why);
    if (!e)
        e = check_env(def, why);
    if (!e)
        e = check_files(def, why);
    if (!e)
        e = read_last(def, why);
    if (!e && def->jvm)
        e = jvm_check(def, why);
    return e ? e : target_program_find(targets, def, why);
}

/* Of one that runs already nothing can be set. */
static enum err read_unmanaged(struct target_def *def, struct why *why)
{
    static const char *const keys[] = {"version", "about", "managed", "url",
                                       "urls",    "ready", "stats",   NULL};
    return jv_only(def->doc, keys, why);
}

static enum err read_def(struct targets *targets, struct target_def *def,
                         struct why *why)
{
    static const char *const keys[] = {
        "version", "about", "argv", "env",  "files",    "user",    "ready",
        "stats",   "stop",  "url",  "urls", "oom_exit", "factors", "managed",
        "like",    "needs", "last", "jvm",  NULL};
    const struct jv *managed = jv_get(def->doc, "managed");
    const struct jv *jvm = jv_get(def->doc, "jvm");
    enum err e = jv_only(def->doc, keys, why);
    char about[512];
    if (!e && managed && jv_type(managed) != JV_BOOL)
        e = target_text_refuse(managed, "true or false", why);
    if (!e && jvm && jv_type(jvm) != JV_BOOL)
        e = target_text_refuse(jvm, "true or false", why);
    if (!e)
        e = target_text_copy(jv_get(def->doc, "about"),
                             "a text of 1 to 511 bytes", about, sizeof about,
                             why);
    if (e)
        return e;
    if (jv_get(def->doc, "like"))
        return read_like(targets, def, why);
    def->unmanaged = !jv_bool(managed, true);
    def->jvm = jv_bool(jvm, false);
    e = def->unmanaged ? read_unmanaged(def, why)
                       : read_managed(targets, def, why);
    return e ? e : target_reach_read(def, why);
}

enum err target_read(struct targets *targets, const char *name,
                     const char *folder, const struct jv *v, struct why *why)
{
    struct target_def *def = calloc(1, sizeof *def);
    char where[300];
    if (!def)
        return err_set(why, ERR_NOMEM, "targets");
    def->doc = v;
    (void)snprintf(def->folder, sizeof def->folder, "%s", folder);
    enum err e = ERR_OK;
    if (!target_text_plain(name, TARGET_NAME_MAX) || !strcmp(name, "pitwall"))
        e = err_set(why, ERR_INVALID,
                    "%s: target \"%.80s\"; accepted: a name of letters, "
                    "digits, _, - and dots, other than pitwall",
                    jv_where(v, where, sizeof where), name);
    if (!e)
        (void)snprintf(def->name, sizeof def->name, "%s", name);
    if (!e)
        e = read_def(targets, def, why);
    if (!e)
        e = targets_add(targets, def, why);
    free(def);
    return e;
}

/* Folders --------------------------------------------------------------------
 */

static int is_definition(const struct dirent *d)
{
    size_t len = strlen(d->d_name);
    return d->d_name[0] != '.' && len > 5 &&
           !strcmp(d->d_name + len - 5, ".json");
}

static enum err read_file(struct targets *targets, const char *folder,
                          const char *file, struct why *why)
{
    char path[PATH_MAX + 300], name[256];
    struct jv *root = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    (void)snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - 5), file);
    enum err e = jv_load(&root, path, TARGET_FILE_MAX, why);
    if (!e)
        e = targets_keep(targets, root, why);
    if (!e && jv_u64(jv_get(root, "version"), 0) != 1)
        e = target_text_refuse(root, "an object with \"version\": 1", why);
    return e ? e : target_read(targets, name, folder, root, why);
}

enum err target_read_folder(struct targets *targets, const char *folder,
                            struct why *why)
{
    struct dirent **found = NULL;
    int n = scandir(folder, &found, is_definition, alphasort);
    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? ERR_OK
                   : err_errno(why, errno, "%s", folder);
    enum err e = ERR_OK;
    for (int i = 0; i < n; i++) {
        if (!e)
            e = read_file(targets, folder, found[i]->d_name, why);
        free(found[i]);
    }
    free(found);
    return e;
}
