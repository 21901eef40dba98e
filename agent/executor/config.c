#include "agent/executor/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/pin.h"
#include "agent/executor/target_read.h"
#include "common/json_place.h"
#include "common/place.h"

#define CONFIG_VERSION 1

enum err config_default(struct config *c, struct why *why)
{
    *c = (struct config){.roles = "both",
                         .gate_user = "nobody",
                         .sysctls = {"net.ipv4.tcp_*"},
                         .n_sysctls = 1};
    if (gethostname(c->name, sizeof c->name - 1) || !c->name[0])
        (void)snprintf(c->name, sizeof c->name, "agent");
    const char *die_at = getenv("PITWALL_TEST_DIE_AT");
    if (die_at)
        c->die_at = (unsigned)strtoul(die_at, NULL, 10);
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = 0;
    if (geteuid() == 0)
        n = snprintf(c->state, sizeof c->state, "/var/lib/pitwall");
    else if (xdg && xdg[0] == '/')
        n = snprintf(c->state, sizeof c->state, "%s/pitwall", xdg);
    else if (home && home[0] == '/')
        n = snprintf(c->state, sizeof c->state, "%s/.local/state/pitwall",
                     home);
    if (n <= 0 || (size_t)n >= sizeof c->state)
        return err_set(why, ERR_USAGE,
                       "no state folder: HOME is not set; give --state DIR");
    return ERR_OK;
}

/* A member that must be a text of 1 to size-1 bytes; absent: left alone. */
static enum err read_text(const struct jv *root, const char *key, char *to,
                          size_t size, struct why *why)
{
    const struct jv *v = jv_get(root, key);
    const char *text = jv_text(v, NULL);
    char where[300];
    if (!v)
        return ERR_OK;
    if (!text || !text[0] || strlen(text) >= size)
        return err_set(why, ERR_INVALID,
                       "%s: accepted is a text of 1 to %zu bytes",
                       jv_where(v, where, sizeof where), size - 1);
    memcpy(to, text, strlen(text) + 1);
    return ERR_OK;
}

static enum err refuse(const struct jv *v, const char *accepted,
                       struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

static enum err read_sysctls(struct config *c, const struct jv *list,
                             struct why *why)
{
    if (!list)
        return ERR_OK;
    if (jv_type(list) != JV_ARRAY || jv_size(list) > CONFIG_SYSCTLS_MAX)
        return refuse(list, "a list of at most 32 patterns", why);
    c->n_sysctls = 0;
    c->sysctls_given = true;
    for (size_t i = 0; i < jv_size(list); i++) {
        const char *glob = jv_text(jv_at(list, i), NULL);
        if (!glob || !glob[0] || strlen(glob) >= sizeof c->sysctls[0])
            return refuse(jv_at(list, i), "a pattern of 1 to 79 bytes", why);
        memcpy(c->sysctls[c->n_sysctls++], glob, strlen(glob) + 1);
    }
    return ERR_OK;
}

/* Of each side, whatever its processes are. */
static enum err read_limits(struct config *c, const struct jv *sides,
                            struct why *why)
{
    static const char *const keys[] = {"target", "load", NULL};
    if (!sides)
        return ERR_OK;
    if (jv_type(sides) != JV_OBJECT)
        return refuse(sides, "an object of target and load", why);
    enum err e = jv_only(sides, keys, why);
    if (!e)
        e = limit_read(&c->target_limits, jv_get(sides, "target"), why);
    return e ? e : limit_read(&c->load_limits, jv_get(sides, "load"), why);
}

static enum err read_swappiness(struct config *c, const struct jv *v,
                                struct why *why)
{
    double n = jv_number(v, -1);
    if (!v)
        return ERR_OK;
    if (jv_type(v) != JV_NUMBER || n < 0 || n > 200 || n != (unsigned)n)
        return refuse(v, "a whole number from 0 to 200", why);
    (void)snprintf(c->swappiness, sizeof c->swappiness, "%u", (unsigned)n);
    return ERR_OK;
}

static bool on_off(const char *text)
{
    return !*text || !strcmp(text, "on") || !strcmp(text, "off");
}

static enum err check_values(const struct config *c, const struct jv *root,
                             struct why *why)
{
    if (jv_number(jv_get(root, "version"), 0) != CONFIG_VERSION)
        return refuse(root, "\"version\": 1", why);
    if (strcmp(c->roles, "both") != 0 && strcmp(c->roles, "target") != 0 &&
        strcmp(c->roles, "load") != 0)
        return refuse(jv_get(root, "roles"), "both, target or load", why);
    if (!on_off(c->turbo))
        return refuse(jv_get(root, "turbo"), "on or off", why);
    if (!on_off(c->numa_balancing))
        return refuse(jv_get(root, "numa_balancing"), "on or off", why);
    if (c->state[0] != '/')
        return refuse(jv_get(root, "state"), "an absolute folder", why);
    cpu_set_t set;
    if (c->cpus[0] && pin_parse(c->cpus, &set, NULL))
        return refuse(jv_get(root, "cpus"), "a list such as 0-3,6", why);
    return ERR_OK;
}

static enum err read_targets(struct config *c, const struct jv *v,
                             const char *folder, struct why *why)
{
    enum err e = ERR_OK;
    if (v && jv_type(v) != JV_OBJECT)
        return refuse(v, "an object of targets by name", why);
    for (size_t i = 0; !e && i < jv_size(v); i++) {
        const char *name = "";
        const struct jv *def = jv_member(v, i, &name);
        e = target_read(&c->targets, name, folder, def, why);
    }
    return e;
}

enum err config_read(struct config *c, const struct jv *root,
                     const char *folder, struct why *why)
{
    static const char *const keys[] = {"version",     "name",
                                       "listen",      "roles",
                                       "state",       "gate_user",
                                       "sysctls",     "cpus",
                                       "interface",   "governor",
                                       "thp",         "turbo",
                                       "swappiness",  "numa_balancing",
                                       "drop_caches", "limits",
                                       "targets",     "tls",
                                       NULL};
    if (jv_type(root) != JV_OBJECT)
        return refuse(root, "an object", why);
    const struct {
        const char *key;
        char *to;
        size_t size;
    } texts[] = {
        {"name", c->name, sizeof c->name},
        {"listen", c->listen, sizeof c->listen},
        {"roles", c->roles, sizeof c->roles},
        {"state", c->state, sizeof c->state},
        {"gate_user", c->gate_user, sizeof c->gate_user},
        {"interface", c->interface, sizeof c->interface},
        {"governor", c->governor, sizeof c->governor},
        {"thp", c->thp, sizeof c->thp},
        {"turbo", c->turbo, sizeof c->turbo},
        {"numa_balancing", c->numa_balancing, sizeof c->numa_balancing},
        {"cpus", c->cpus, sizeof c->cpus}};
    enum err e = jv_only(root, keys, why);
    for (size_t i = 0; !e && i < sizeof texts / sizeof *texts; i++)
        e = read_text(root, texts[i].key, texts[i].to, texts[i].size, why);
    const struct jv *drop = jv_get(root, "drop_caches");
    if (!e && drop && jv_type(drop) != JV_BOOL)
        e = refuse(drop, "true or false", why);
    c->drop_caches = jv_bool(drop, c->drop_caches);
    if (!e)
        e = read_swappiness(c, jv_get(root, "swappiness"), why);
    if (!e)
        e = read_sysctls(c, jv_get(root, "sysctls"), why);
    if (!e)
        e = read_limits(c, jv_get(root, "limits"), why);
    if (!e)
        e = tls_files_read(&c->tls, jv_get(root, "tls"), folder, why);
    if (!e)
        e = read_targets(c, jv_get(root, "targets"), folder, why);
    return e ? e : check_values(c, root, why);
}

enum err config_load(struct config *c, const char *path, struct why *why)
{
    struct jv *root = NULL;
    char whole[PATH_MAX], folder[PATH_MAX + 16];
    enum err e = jv_load(&root, path, CONFIG_FILE_MAX, why);
    if (!e)
        e = targets_keep(&c->targets, root, why);
    if (!e && !realpath(path, whole))
        e = err_errno(why, errno, "%s", path);
    if (e)
        return e;
    *strrchr(whole, '/') = '\0';
    e = config_read(c, root, whole, why);
    (void)snprintf(folder, sizeof folder, "%s/targets", whole);
    return e ? e : target_read_folder(&c->targets, folder, why);
}

enum err config_targets(struct config *c, const char *folder, struct why *why)
{
    char path[PATH_MAX];
    if (!realpath(folder, path))
        return err_errno(why, errno, "--targets %s", folder);
    return target_read_folder(&c->targets, path, why);
}

enum err config_shipped(struct config *c, struct why *why)
{
    char path[PATH_MAX];
    if (place_shipped("targets", path, sizeof path, NULL))
        return ERR_OK; /* a build without them */
    return target_read_folder(&c->targets, path, why);
}

void config_fini(struct config *c)
{
    targets_free(&c->targets);
}

bool config_allows_sysctl(const struct config *c, const char *name)
{
    for (unsigned i = 0; i < c->n_sysctls; i++)
        if (!fnmatch(c->sysctls[i], name, 0))
            return true;
    return false;
}
