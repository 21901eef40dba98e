#include "agent/executor/target_make.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/jvm.h"
#include "agent/executor/target_print.h"
#include "agent/executor/target_value.h"
#include "agent/executor/template.h"

#define RENDERED_MAX (256u << 10) /* bytes of one file */

/* What the names of a text stand for. */
struct making {
    const struct target_def *def;
    const struct trial_spec *spec; /* NULL: names are only checked */
    const struct target_ground *ground;
    const char *mapping; /* the factor whose arguments are made; or NULL */
};

/* Values that do not depend on the spec; false: no such name. */
static bool of_ground(const struct making *m, const char *name, char *buf,
                      size_t size)
{
    const struct target_ground *g = m->ground;
    const struct {
        const char *name, *text;
        unsigned number;
    } known[] = {{"address", g->address, 0},
                 {"data", g->data, 0},
                 {"here", m->def->folder, 0},
                 {"port", NULL, g->port},
                 {"cpus", NULL, g->cpus}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0)
            continue;
        if (known[i].text)
            (void)snprintf(buf, size, "%s", known[i].text);
        else
            (void)snprintf(buf, size, "%u", known[i].number);
        return true;
    }
    return false;
}

static enum err unknown(const struct making *m, const char *name,
                        struct why *why)
{
    return err_set(
        why, ERR_INVALID,
        "{{%.60s}} is not known; accepted: {{address}}, {{port}}, {{data}}, "
        "{{here}}, {{cpus}}, with \"jvm\" {{jvm}}, factors that \"factors\" "
        "names, with .bytes, .kb or .mb%s",
        name,
        m->mapping ? ", and of the factor itself {{value}}, {{bytes}}, {{kb}}, "
                     "{{mb}}, of a predictor {{min}}, {{initial}}, {{max}}"
                   : "");
}

/* Part name into a factor that def maps and a unit. */
static bool split(const struct making *m, const char *name, char *factor,
                  size_t size, const char **unit)
{
    if (m->mapping && target_value_unit(m->mapping, name)) {
        (void)snprintf(factor, size, "%s", m->mapping);
        *unit = name;
        return true;
    }
    (void)snprintf(factor, size, "%s", name);
    *unit = "value";
    if (target_maps_factor(m->def, factor))
        return true;
    char *dot = strrchr(factor, '.');
    if (!dot)
        return false;
    *dot = '\0';
    *unit = name + (dot - factor) + 1;
    return target_maps_factor(m->def, factor) &&
           target_value_unit(factor, *unit) && strcmp(*unit, "value") != 0;
}

static enum err value(void *ctx, const char *name, char buf[TEMPLATE_VALUE_MAX],
                      struct why *why)
{
    const struct making *m = ctx;
    char factor[TEMPLATE_NAME_MAX + 1];
    const char *unit = "";
    if (of_ground(m, name, buf, TEMPLATE_VALUE_MAX))
        return ERR_OK;
    if (m->def->jvm && !strcmp(name, "jvm"))
        return jvm_join(buf, m->ground->data, why);
    if (!split(m, name, factor, sizeof factor, &unit))
        return unknown(m, name, why);
    if (m->spec)
        return target_value(m->def, m->spec, factor, unit, buf, why);
    bool own = m->mapping && !strcmp(factor, m->mapping);
    if (!own && !target_has_value(m->def, factor))
        return err_set(why, ERR_INVALID,
                       "{{%.60s}}: give the factor a \"default\", for trials "
                       "that do not set it",
                       name);
    return ERR_OK;
}

enum err target_check_text(const struct target_def *def, const char *mapping,
                           const char *text, struct why *why)
{
    static const struct target_ground none = {.address = "", .data = ""};
    struct making m = {.def = def, .ground = &none, .mapping = mapping};
    char *out = malloc(RENDERED_MAX);
    if (!out)
        return err_set(why, ERR_NOMEM, "targets");
    enum err e = template_render(text, value, &m, out, RENDERED_MAX, why);
    free(out);
    return e;
}

/* Arguments and variables ------------------------------------------------- */

static enum err put(struct command *c, const struct making *m,
                    const char *before, const char *text, struct why *why)
{
    char out[TEMPLATE_VALUE_MAX];
    struct making copy = *m;
    enum err e = template_render(text, value, &copy, out, sizeof out, why);
    if (!e && !command_put(c, before, out))
        e = err_set(why, ERR_RANGE, "the command line is too long");
    return e;
}

/* The arguments of each factor that has a value. */
static enum err put_factors(struct command *c, const struct making *m,
                            struct why *why)
{
    const struct jv *factors = jv_get(m->def->doc, "factors");
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(factors); i++) {
        struct making of = *m;
        const struct jv *v = jv_member(factors, i, &of.mapping);
        const struct jv *argv = jv_type(v) == JV_OBJECT ? jv_get(v, "argv") : v;
        if (!target_value_given(m->def, m->spec, of.mapping))
            continue;
        for (size_t k = 0; !e && k < jv_size(argv); k++)
            e = put(c, &of, "", jv_text(jv_at(argv, k), ""), why);
    }
    return e;
}

static enum err put_argv(struct command *c, const struct making *m, size_t from,
                         struct why *why)
{
    const struct jv *argv = jv_get(m->def->doc, "argv");
    bool placed = false;
    enum err e = ERR_OK;
    for (size_t i = from; !e && i < jv_size(argv); i++) {
        const char *text = jv_text(jv_at(argv, i), "");
        if (m->def->jvm && !strcmp(text, "{{jvm}}")) {
            e = jvm_put(c, m->ground->data, why);
            continue;
        }
        if (strcmp(text, "{{param}}") != 0) {
            e = put(c, m, "", text, why);
            continue;
        }
        placed = true;
        e = put_factors(c, m, why);
    }
    return e || placed ? e : put_factors(c, m, why);
}

static enum err put_env(struct command *c, const struct making *m,
                        struct why *why)
{
    const struct jv *env = jv_get(m->def->doc, "env");
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(env); i++) {
        const char *key = "";
        const struct jv *v = jv_member(env, i, &key);
        char before[130];
        (void)snprintf(before, sizeof before, "%s=", key);
        e = put(c, m, before, jv_text(v, ""), why);
    }
    if (!e && m->def->jvm && !jvm_placed(m->def))
        e = put(c, m, JVM_OPTIONS "=", "{{jvm}}", why);
    return e;
}

enum err target_make(struct command *argv, struct command *env,
                     const struct target_def *def,
                     const struct trial_spec *spec,
                     const struct target_ground *ground, struct why *why)
{
    const struct making m = {.def = def, .spec = spec, .ground = ground};
    command_begin(argv);
    command_begin(env);
    enum err e = target_value_check(def, spec, why);
    if (!e)
        e = put_argv(argv, &m, 0, why);
    if (!e)
        e = put_env(env, &m, why);
    return e ? err_wrap(why, e, "target %s", def->name) : ERR_OK;
}

enum err target_extend(struct command *argv, struct command *env,
                       const struct target_def *def,
                       const struct trial_spec *spec,
                       const struct target_ground *ground, struct why *why)
{
    const struct making m = {.def = def, .spec = spec, .ground = ground};
    enum err e = put_argv(argv, &m, 1, why);
    if (!e)
        e = put_env(env, &m, why);
    return e ? err_wrap(why, e, "target %s", def->name) : ERR_OK;
}

/* Files ---------------------------------------------------------------------
 */

static enum err write_whole(int dirfd, const char *name, const char *text,
                            struct why *why)
{
    int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_errno(why, errno, "%s", name);
    size_t len = strlen(text), done = 0;
    ssize_t n = 0;
    while (done < len && (n = write(fd, text + done, len - done)) > 0)
        done += (size_t)n;
    int saved = errno;
    (void)close(fd);
    return done < len ? err_errno(why, n ? saved : EIO, "%s", name) : ERR_OK;
}

static enum err write_one(int dirfd, const struct making *m, const char *name,
                          const char *from, struct why *why)
{
    char *text = NULL, *out = malloc(RENDERED_MAX);
    enum err e = out ? target_value_file(m->def, from, &text, why)
                     : err_set(why, ERR_NOMEM, "%s", name);
    struct making copy = *m;
    if (!e)
        e = template_render(text, value, &copy, out, RENDERED_MAX, why);
    if (!e)
        e = write_whole(dirfd, name, out, why);
    free(text);
    free(out);
    return e ? err_wrap(why, e, "file %s", name) : ERR_OK;
}

static enum err write_definition(int dirfd, const struct target_def *def,
                                 struct why *why)
{
    struct line_json j;
    char *text = malloc(RENDERED_MAX);
    if (!text)
        return err_set(why, ERR_NOMEM, TARGET_PRINTED);
    line_json_init(&j, text, RENDERED_MAX);
    target_print(&j, NULL, def->doc);
    enum err e = j.over ? err_set(why, ERR_RANGE, TARGET_PRINTED ": too long")
                        : write_whole(dirfd, TARGET_PRINTED, text, why);
    free(text);
    return e;
}

enum err target_write_files(int dirfd, const struct target_def *def,
                            const struct trial_spec *spec,
                            const struct target_ground *ground, struct why *why)
{
    const struct making m = {.def = def, .spec = spec, .ground = ground};
    const struct jv *files = jv_get(def->doc, "files");
    enum err e = write_definition(dirfd, def, why);
    if (!e && def->jvm)
        e = write_whole(dirfd, JVM_SETTINGS_NAME, jvm_settings, why);
    for (size_t i = 0; !e && i < jv_size(files); i++) {
        const char *name = "";
        const struct jv *v = jv_member(files, i, &name);
        e = write_one(dirfd, &m, name, jv_text(v, ""), why);
    }
    return e ? err_wrap(why, e, "target %s", def->name) : ERR_OK;
}
