#include "agent/executor/target_read.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/attempt.h"
#include "agent/executor/target_make.h"
#include "agent/executor/target_program.h"
#include "agent/executor/target_stats.h"
#include "agent/executor/target_value.h"
#include "common/json_place.h"
#include "common/units.h"

#define NAMES_MAX  64u /* of members of an object, items of a list */
#define WITHIN_MAX (3600ull * 1000000000u)
#define NAME_LETTERS                                                           \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static enum err refuse(const struct jv *v, const char *accepted,
                       struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

/* The complaint of a text's own reader, with its place. */
static enum err at(const struct jv *v, enum err e, struct why *why)
{
    char where[300];
    return e ? err_wrap(why, e == ERR_NOMEM ? e : ERR_INVALID, "%s",
                        jv_where(v, where, sizeof where))
             : ERR_OK;
}

static bool plain_name(const char *text, size_t max)
{
    size_t len = strlen(text);
    return len > 0 && len <= max && text[0] != '.' && text[0] != '-' &&
           strspn(text, NAME_LETTERS) == len && !strstr(text, "..");
}

/* A member that must be a text of 1 to size-1 bytes; absent: left alone. */
static enum err read_text(const struct jv *v, const char *accepted, char *to,
                          size_t size, struct why *why)
{
    const char *text = jv_text(v, NULL);
    if (!v)
        return ERR_OK;
    if (!text || !text[0] || strlen(text) >= size)
        return refuse(v, accepted, why);
    memcpy(to, text, strlen(text) + 1);
    return ERR_OK;
}

static enum err read_path(const struct jv *v, char *to, size_t size,
                          struct why *why)
{
    enum err e = read_text(v, "a path such as \"/health\"", to, size, why);
    if (e || !v)
        return e;
    for (const char *c = to; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return refuse(v, "a path without blanks", why);
    return to[0] == '/' ? ERR_OK : refuse(v, "a path that begins with /", why);
}

/* Texts with names in them: a list (of the factor mapping, NULL: none). */
static enum err check_texts(const struct target_def *def, const struct jv *list,
                            const char *mapping, struct why *why)
{
    if (list && (jv_type(list) != JV_ARRAY || jv_size(list) > NAMES_MAX))
        return refuse(list, "a list of at most 64 texts", why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(list); i++) {
        const struct jv *v = jv_at(list, i);
        const char *text = jv_text(v, NULL);
        if (!text)
            return refuse(v, "a text", why);
        if (mapping || strcmp(text, "{{param}}") != 0)
            e = at(v, target_check_text(def, mapping, text, why), why);
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
        return refuse(is, accepted, why);
    for (size_t i = 0; i < jv_size(is); i++)
        if (!plain_name(jv_text(jv_at(is, i), ""), 24))
            return refuse(jv_at(is, i), accepted, why);
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
        return refuse(v,
                      "heap, predictor or target.NAME, the name of a-z, 0-9 "
                      "and _: other factors are not the target's",
                      why);
    if (jv_type(v) != JV_OBJECT)
        return check_texts(def, v, name, why);
    enum err e = jv_only(v, keys, why);
    if (!e && !own && (jv_get(v, "is") || jv_get(v, "default")))
        e = refuse(v, "\"argv\" alone for heap and predictor", why);
    if (!e)
        e = check_is(jv_get(v, "is"), why);
    char text[128];
    if (!e)
        e = read_text(jv_get(v, "default"), "a text of 1 to 127 bytes", text,
                      sizeof text, why);
    return e ? e : check_texts(def, jv_get(v, "argv"), name, why);
}

static enum err check_factors(const struct target_def *def, struct why *why)
{
    const struct jv *factors = jv_get(def->doc, "factors");
    if (factors &&
        (jv_type(factors) != JV_OBJECT || jv_size(factors) > NAMES_MAX))
        return refuse(factors, "an object of at most 64 factors", why);
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
        return refuse(env, "an object of at most 64 variables", why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(env); i++) {
        const char *name = "";
        const struct jv *v = jv_member(env, i, &name);
        if (!name[0] || strlen(name) > 64 || strchr(name, '=') ||
            !jv_text(v, NULL))
            return refuse(v, "a text, under a name of 1 to 64 bytes", why);
        e = at(v, target_check_text(def, NULL, jv_text(v, ""), why), why);
    }
    return e;
}

static enum err check_files(const struct target_def *def, struct why *why)
{
    const struct jv *files = jv_get(def->doc, "files");
    if (files && (jv_type(files) != JV_OBJECT || jv_size(files) > NAMES_MAX))
        return refuse(files, "an object of at most 64 files", why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(files); i++) {
        const char *name = "";
        const struct jv *v = jv_member(files, i, &name);
        const char *from = jv_text(v, "");
        char *text = NULL;
        if (!plain_name(name, 64) || !plain_name(from, 64) ||
            !strcmp(name, TARGET_PRINTED))
            return refuse(v,
                          "the name of a file beside the definition, under "
                          "the name that it gets; no folders",
                          why);
        e = at(v, target_value_file(def, from, &text, why), why);
        if (!e)
            e = at(v, target_check_text(def, NULL, text, why), why);
        free(text);
    }
    return e;
}

/* Where it answers ----------------------------------------------------------
 */

/* A time of at most an hour; absent: left alone. */
static enum err read_within(const struct jv *v, uint64_t *ns, struct why *why)
{
    if (!v)
        return ERR_OK;
    enum err e = at(v, units_duration(jv_text(v, ""), ns, why), why);
    if (!e && (!*ns || *ns > WITHIN_MAX))
        e = refuse(v, "a time such as \"30s\", at most 1h", why);
    return e;
}

static enum err read_ready(struct target_def *def, struct why *why)
{
    static const char *const keys[] = {"path", "expect", "within", NULL};
    const struct jv *v = jv_get(def->doc, "ready");
    (void)snprintf(def->ready, sizeof def->ready, "/");
    if (!v || jv_type(v) == JV_STRING)
        return read_path(v, def->ready, sizeof def->ready, why);
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = read_path(jv_get(v, "path"), def->ready, sizeof def->ready, why);
    if (!e)
        e = read_text(jv_get(v, "expect"), "a text of 1 to 127 bytes",
                      def->expect, sizeof def->expect, why);
    return e ? e : read_within(jv_get(v, "within"), &def->ready_ns, why);
}

static bool good_url(const char *url)
{
    static const char scheme[] = "http://";
    const char *host = url + strlen(scheme);
    uint64_t port = 0;
    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return false;
    const char *colon = strrchr(host, ':');
    return colon && colon > host && strlen(url) < 200 &&
           strspn(host, NAME_LETTERS "[]:") == strlen(host) &&
           !units_u64(colon + 1, 65535, &port, NULL) && port;
}

static enum err read_urls(struct target_def *def, struct why *why)
{
    const struct jv *one = jv_get(def->doc, "url");
    const struct jv *list = jv_get(def->doc, "urls");
    size_t n = one ? 1 : jv_size(list);
    if (!def->unmanaged && (one || list))
        return refuse(one ? one : list,
                      "a URL only with \"managed\": false; others listen at "
                      "{{address}} and {{port}}",
                      why);
    if (!def->unmanaged)
        return ERR_OK;
    if ((one && list) || !n || n > TARGET_URLS_MAX)
        return refuse(list ? list : def->doc,
                      "\"url\", or \"urls\" with 1 to 16 of them, with "
                      "\"managed\": false",
                      why);
    for (size_t i = 0; i < n; i++) {
        const struct jv *v = one ? one : jv_at(list, i);
        if (!good_url(jv_text(v, "")))
            return refuse(v, "\"http://HOST:PORT\"", why);
        def->urls[def->n_urls++] = jv_text(v, "");
    }
    return ERR_OK;
}

static enum err read_stop_keys(struct target_def *def, const struct jv *stop,
                               struct why *why)
{
    static const char *const keys[] = {"signal", "within", NULL};
    enum err e = jv_only(stop, keys, why);
    return e ? e : read_within(jv_get(stop, "within"), &def->stop_ns, why);
}

static enum err read_stop(struct target_def *def, struct why *why)
{
    static const struct {
        const char *name;
        int signal;
    } signals[] = {{"TERM", SIGTERM}, {"INT", SIGINT}, {"QUIT", SIGQUIT}};
    const struct jv *stop = jv_get(def->doc, "stop");
    const struct jv *oom = jv_get(def->doc, "oom_exit");
    const struct jv *name =
        jv_type(stop) == JV_OBJECT ? jv_get(stop, "signal") : stop;
    def->stop_signal = name ? 0 : SIGTERM;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!strcmp(jv_text(name, ""), signals[i].name))
            def->stop_signal = signals[i].signal;
    if (!def->stop_signal)
        return refuse(name, "\"TERM\", \"INT\" or \"QUIT\"", why);
    enum err e =
        jv_type(stop) == JV_OBJECT ? read_stop_keys(def, stop, why) : ERR_OK;
    if (e)
        return e;
    uint64_t status = jv_u64(oom, 0);
    if (oom && (!status || status > 255))
        return refuse(oom, "an exit status from 1 to 255", why);
    def->oom_exit = oom ? (int)status : ATTEMPT_NO_EXIT;
    return read_text(jv_get(def->doc, "user"), "a user's name", def->user,
                     sizeof def->user, why);
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
        return refuse(like, "\"pitwall\": a build of pitwall-target", why);
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
    if (v && !plain_name(jv_text(v, ""), sizeof def->last - 1))
        return refuse(v, accepted, why);
    return read_text(v, accepted, def->last, sizeof def->last, why);
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
        "version", "about",   "argv", "env",   "files", "user",
        "ready",   "stats",   "stop", "url",   "urls",  "oom_exit",
        "factors", "managed", "like", "needs", "last",  NULL};
    const struct jv *managed = jv_get(def->doc, "managed");
    enum err e = jv_only(def->doc, keys, why);
    char about[512];
    if (!e && managed && jv_type(managed) != JV_BOOL)
        e = refuse(managed, "true or false", why);
    if (!e)
        e = read_text(jv_get(def->doc, "about"), "a text of 1 to 511 bytes",
                      about, sizeof about, why);
    if (e)
        return e;
    if (jv_get(def->doc, "like"))
        return read_like(targets, def, why);
    def->unmanaged = !jv_bool(managed, true);
    e = def->unmanaged ? read_unmanaged(def, why)
                       : read_managed(targets, def, why);
    if (!e)
        e = read_urls(def, why);
    if (!e)
        e = read_ready(def, why);
    if (!e)
        e = target_stats_check(jv_get(def->doc, "stats"), why);
    if (!e && jv_get(def->doc, "stats"))
        e = read_path(jv_get(jv_get(def->doc, "stats"), "path"), def->stats,
                      sizeof def->stats, why);
    return e ? e : read_stop(def, why);
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
    if (!plain_name(name, TARGET_NAME_MAX) || !strcmp(name, "pitwall"))
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
        e = refuse(root, "an object with \"version\": 1", why);
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
