#include "agent/executor/groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/cgroup.h"
#include "agent/executor/small_file.h"
#include "common/log.h"

#define NAME_HEAD  "pitwall."
#define SELF_GROUP "pitwall-agent" /* where we go on v2 to free our own */
#define TEXT_MAX   65536u
#define SWEPT_MAX  64u /* in one pass over a folder */

/* Who owns a group ------------------------------------------------------- */

bool groups_look_at(pid_t pid, char *state, unsigned long long *start)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!small_file_read(AT_FDCWD, path, text, sizeof text))
        return false;
    /* The comm may hold anything; its last parenthesis ends it. */
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return false;
    *state = at[2];
    for (int i = 3; at && i <= 22; i++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%llu", start) == 1;
}

static void make_prefix(char prefix[GROUPS_PREFIX_MAX])
{
    struct stat st = {.st_ino = 0};
    unsigned long long start = 0;
    char state;
    (void)stat("/proc/self/ns/pid", &st);
    (void)groups_look_at(getpid(), &state, &start);
    (void)snprintf(prefix, GROUPS_PREFIX_MAX, NAME_HEAD "%llu.%d.%llu.",
                   (unsigned long long)st.st_ino, (int)getpid(), start);
}

bool groups_name_is_dead(const char *name, const char *own_prefix)
{
    unsigned long long ns, pid, start, own_ns, lives = 0;
    char state = 'Z';
    if (sscanf(name, NAME_HEAD "%llu.%llu.%llu.", &ns, &pid, &start) != 3 ||
        sscanf(own_prefix, NAME_HEAD "%llu.", &own_ns) != 1 || ns != own_ns)
        return false;
    if (pid > INT_MAX)
        return false;
    return !groups_look_at((pid_t)pid, &state, &lives) || lives != start ||
           state == 'Z' || state == 'X';
}

/* Open --------------------------------------------------------------------- */

static void lack(struct groups *g, const char *what)
{
    if (!g->missing[0])
        (void)snprintf(g->missing, sizeof g->missing, "%s", what);
}

/* Whether the only process of the group dir is this one. */
static bool alone(int dir)
{
    char text[4096];
    return small_file_read(dir, "cgroup.procs", text, sizeof text) &&
           strtol(text, NULL, 10) == getpid() &&
           strchr(text, '\n') == strrchr(text, '\n');
}

static const struct {
    const char *word;
    unsigned can;
} limits[] = {{"memory", HIERARCHY_MEMORY},
              {"cpu", HIERARCHY_CPU},
              {"pids", HIERARCHY_PIDS}};

/* The controllers that a file of a v2 group names: "cpuset cpu memory". */
static unsigned named(int dir, const char *file)
{
    char text[512], *rest = NULL;
    unsigned can = 0;
    (void)small_file_read(dir, file, text, sizeof text);
    for (char *word = strtok_r(text, " \n", &rest); word;
         word = strtok_r(NULL, " \n", &rest))
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
            can |= strcmp(word, limits[i].word) ? 0 : limits[i].can;
    return can;
}

/* Give children the controllers that the group itself has; which they then
 * have. */
static unsigned pass_on(int dir, unsigned offered)
{
    char add[16];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        (void)snprintf(add, sizeof add, "+%s", limits[i].word);
        if (limits[i].can & offered)
            (void)small_file_write(dir, "cgroup.subtree_control", add);
    }
    return named(dir, "cgroup.subtree_control");
}

/* A group with processes cannot pass controllers on to children. */
static unsigned open_unified(int dir)
{
    unsigned offered = named(dir, "cgroup.controllers");
    unsigned can = pass_on(dir, offered);
    if (can == offered || !alone(dir) ||
        (mkdirat(dir, SELF_GROUP, 0755) && errno != EEXIST) ||
        small_file_write(dir, SELF_GROUP "/cgroup.procs", "0"))
        return can;
    return pass_on(dir, offered);
}

/* Whether groups can be made in it. */
static bool try_it(const struct groups *g, int dir)
{
    char name[GROUPS_PREFIX_MAX + 8];
    (void)snprintf(name, sizeof name, "%sprobe", g->prefix);
    if (mkdirat(dir, name, 0755) && errno != EEXIST)
        return false;
    return !unlinkat(dir, name, AT_REMOVEDIR);
}

static void open_tree(struct groups *g, const struct hierarchy *h)
{
    struct groups_tree *t = &g->trees[g->n];
    *t = (struct groups_tree){.v2 = h->v2, .can = h->can, .mount = h->mount};
    (void)snprintf(t->path, sizeof t->path, "%s", h->path);
    t->dir = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->dir < 0)
        return;
    if (!try_it(g, t->dir)) {
        (void)close(t->dir);
        return;
    }
    if (t->v2)
        t->can = open_unified(t->dir);
    g->can |= t->can;
    g->n++;
}

static void say_missing(struct groups *g, size_t found)
{
    if (!found)
        lack(g, "no control groups: none is mounted");
    else if (!g->n)
        lack(g, "no control groups: run pitwall-agent as root, or as a "
                "service with Delegate=yes");
    else if ((g->can & HIERARCHY_LIMITS) != HIERARCHY_LIMITS)
        (void)snprintf(g->missing, sizeof g->missing,
                       "no limits of%s%s%s: these controllers are not given "
                       "to the agent's group; run it as a service with "
                       "Delegate=yes",
                       g->can & HIERARCHY_MEMORY ? "" : " memory",
                       g->can & HIERARCHY_CPU ? "" : " cpus",
                       g->can & HIERARCHY_PIDS ? "" : " pids");
}

void groups_open(struct groups *g)
{
    struct hierarchy found[HIERARCHIES_MAX];
    char *texts = calloc(2, TEXT_MAX);
    size_t n = 0;
    *g = GROUPS_NONE;
    make_prefix(g->prefix);
    if (texts &&
        small_file_read(AT_FDCWD, "/proc/self/cgroup", texts, TEXT_MAX) &&
        small_file_read(AT_FDCWD, "/proc/self/mountinfo", texts + TEXT_MAX,
                        TEXT_MAX))
        n = hierarchy_find(texts, texts + TEXT_MAX, found);
    free(texts);
    for (size_t i = 0; i < n; i++)
        open_tree(g, &found[i]);
    say_missing(g, n);
}

void groups_close(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        (void)close(g->trees[i].dir);
    *g = GROUPS_NONE;
}

/* Sweep -------------------------------------------------------------------- */

static bool to_sweep(const struct groups *g, const char *name, bool ours)
{
    if (ours)
        return !strncmp(name, g->prefix, strlen(g->prefix));
    return groups_name_is_dead(name, g->prefix);
}

/* One folder's; the same name in the others goes with it. */
static unsigned sweep_tree(const struct groups *g, int tree, bool ours)
{
    char names[SWEPT_MAX][CGROUP_NAME_MAX];
    unsigned n = 0;
    int fd = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            (void)close(fd);
        return 0;
    }
    for (struct dirent *d; n < SWEPT_MAX && (d = readdir(dir));)
        if (strlen(d->d_name) < CGROUP_NAME_MAX && to_sweep(g, d->d_name, ours))
            (void)snprintf(names[n++], CGROUP_NAME_MAX, "%s", d->d_name);
    (void)closedir(dir);
    for (unsigned i = 0; i < n; i++) {
        struct cgroup group;
        cgroup_find(&group, g, names[i]);
        if (!cgroup_close(&group))
            log_warn("control group %s does not go", names[i]);
    }
    return n;
}

unsigned groups_sweep(const struct groups *g, bool ours)
{
    unsigned n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += sweep_tree(g, g->trees[i].dir, ours);
    return n;
}
