#include "agent/executor/target_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json_place.h"

#define NEEDS_MAX 16u

static enum err refuse(const struct jv *v, const char *accepted,
                       struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

/* A name that may stand in a definition: short, nothing to be rendered. */
static bool plain(const char *name)
{
    return name[0] && !strstr(name, "{{") && strlen(name) <= 1000;
}

static void from_folder(const struct target_def *def, const char *name,
                        char *path, size_t size)
{
    if (name[0] == '/')
        (void)snprintf(path, size, "%s", name);
    else
        (void)snprintf(path, size, "%.3000s/%.1000s", def->folder, name);
}

static bool find_in(const char *folders, const char *name, char *to,
                    size_t size)
{
    while (*folders) {
        size_t n = strcspn(folders, ":");
        int len = snprintf(to, size, "%.*s/%s", (int)n, folders, name);
        if (n && len > 0 && (size_t)len < size && !access(to, X_OK))
            return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

static void miss(struct targets *targets, struct target_def *def,
                 const char *what, const char *name)
{
    char text[200];
    (void)snprintf(text, sizeof text, "no %s %.160s on this machine", what,
                   name);
    if (!def->missing)
        targets_miss(targets, def, text);
}

bool target_program_need(const struct target_def *def, size_t i, char *path,
                         size_t size)
{
    const struct jv *needs = jv_get(def->doc, "needs");
    if (i >= jv_size(needs))
        return false;
    from_folder(def, jv_text(jv_at(needs, i), ""), path, size);
    return true;
}

static enum err find_needs(struct targets *targets, struct target_def *def,
                           struct why *why)
{
    static const char accepted[] =
        "a list of at most 16 files, absolute or from the definition's folder";
    const struct jv *needs = jv_get(def->doc, "needs");
    char path[PATH_MAX];
    if (needs && (jv_type(needs) != JV_ARRAY || jv_size(needs) > NEEDS_MAX))
        return refuse(needs, accepted, why);
    for (size_t i = 0; i < jv_size(needs); i++)
        if (!plain(jv_text(jv_at(needs, i), "")))
            return refuse(jv_at(needs, i), accepted, why);
    for (size_t i = 0; target_program_need(def, i, path, sizeof path); i++)
        if (access(path, R_OK))
            miss(targets, def, "file", path);
    return ERR_OK;
}

enum err target_program_find(struct targets *targets, struct target_def *def,
                             struct why *why)
{
    const struct jv *first = jv_at(jv_get(def->doc, "argv"), 0);
    const char *name = jv_text(first, "");
    const char *path = getenv("PATH");
    char *to = def->program;
    size_t size = sizeof def->program;
    bool found;
    if (!plain(name))
        return refuse(first ? first : def->doc,
                      "\"argv\" with the program first, by name or path", why);
    if (strchr(name, '/')) {
        from_folder(def, name, to, size);
        found = !access(to, X_OK);
    } else {
        found = find_in(path ? path : "", name, to, size) ||
                find_in("/usr/local/sbin:/usr/sbin:/sbin", name, to, size);
    }
    if (!found)
        miss(targets, def, "program", strchr(name, '/') ? to : name);
    return find_needs(targets, def, why);
}
