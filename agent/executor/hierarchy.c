#include "agent/executor/hierarchy.h"

#include <stdio.h>
#include <string.h>

#define FIELD_MAX HIERARCHY_PATH

static const struct {
    const char *word;
    unsigned can;
} controllers[] = {{"memory", HIERARCHY_MEMORY},
                   {"cpu", HIERARCHY_CPU},
                   {"pids", HIERARCHY_PIDS},
                   {"freezer", HIERARCHY_FREEZER}};

/* The controllers that we use, of a list "cpu,cpuacct". */
static unsigned can_of(const char *list, size_t len)
{
    unsigned can = 0;
    for (const char *at = list, *end = list + len; at < end;) {
        size_t n = 0;
        while (at + n < end && at[n] != ',')
            n++;
        for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++)
            if (strlen(controllers[i].word) == n &&
                !memcmp(controllers[i].word, at, n))
                can |= controllers[i].can;
        at += n + 1;
    }
    return can;
}

/* Word i (from 0) of a line of len bytes, with the kernel's \040 and the like
 * undone; false: there is none, or it is too long. */
static bool word_at(const char *line, size_t len, size_t i, char out[FIELD_MAX])
{
    const char *at = line, *end = line + len;
    size_t n = 0;
    for (; i; i--) {
        at = memchr(at, ' ', (size_t)(end - at));
        if (!at++)
            return false;
    }
    while (at < end && *at != ' ') {
        char c = *at++;
        if (c == '\\' && end - at >= 3) {
            c = (char)((at[0] - '0') * 64 + (at[1] - '0') * 8 + at[2] - '0');
            at += 3;
        }
        if (n + 1 == FIELD_MAX)
            return false;
        out[n++] = c;
    }
    out[n] = '\0';
    return n > 0;
}

/* The words behind the separator "-": type, source, options of the file
 * system. Returns where they begin, as a word's number; 0: nowhere. */
static size_t behind_dash(const char *line, size_t len)
{
    char word[FIELD_MAX];
    for (size_t i = 6; word_at(line, len, i, word); i++)
        if (!strcmp(word, "-"))
            return i + 1;
    return 0;
}

/* Our group's folder, where the mount shows the hierarchy from root on. */
static bool place(struct hierarchy *h, const char *root, const char *point,
                  const char *group)
{
    size_t n = strcmp(root, "/") ? strlen(root) : 0;
    if (strncmp(group, root, n) != 0 || (group[n] && group[n] != '/') ||
        !strncmp(group, "/..", 3))
        return false;
    const char *rest = strcmp(group + n, "/") ? group + n : "";
    h->mount = strlen(point);
    int len = snprintf(h->path, sizeof h->path, "%s%s", point, rest);
    return len > 0 && (size_t)len < sizeof h->path;
}

/* Look the mount up that has the hierarchy; can 0: the unified one. */
static bool find_mount(struct hierarchy *h, const char *mountinfo,
                       const char *group)
{
    char type[FIELD_MAX], options[FIELD_MAX], root[FIELD_MAX], point[FIELD_MAX];
    for (const char *line = mountinfo; *line;) {
        size_t len = strcspn(line, "\n");
        size_t fs = behind_dash(line, len);
        if (fs && word_at(line, len, fs, type) &&
            word_at(line, len, fs + 2, options) &&
            word_at(line, len, 3, root) && word_at(line, len, 4, point) &&
            !strcmp(type, h->v2 ? "cgroup2" : "cgroup") &&
            (h->v2 || can_of(options, strlen(options)) == h->can) &&
            place(h, root, point, group))
            return true;
        line += len + (line[len] == '\n');
    }
    return false;
}

/* A line "7:cpu,cpuacct:/a/b" or "0::/a/b"; false: not one that we use. */
static bool read_line(const char *line, size_t len, struct hierarchy *h,
                      char group[FIELD_MAX])
{
    const char *list = memchr(line, ':', len);
    size_t left = list ? len - (size_t)(++list - line) : 0;
    const char *path = list ? memchr(list, ':', left) : NULL;
    if (!path)
        return false;
    size_t words = (size_t)(path - list), n = left - words - 1;
    if (n == 0 || n >= FIELD_MAX)
        return false;
    memcpy(group, path + 1, n);
    group[n] = '\0';
    *h = (struct hierarchy){.v2 = words == 0, .can = can_of(list, words)};
    return h->v2 || h->can;
}

size_t hierarchy_find(const char *cgroup, const char *mountinfo,
                      struct hierarchy out[HIERARCHIES_MAX])
{
    char group[FIELD_MAX];
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (const char *line = cgroup; *line && n < HIERARCHIES_MAX;) {
            size_t len = strcspn(line, "\n");
            if (read_line(line, len, &out[n], group) &&
                out[n].v2 == (pass == 0) &&
                find_mount(&out[n], mountinfo, group))
                n++;
            line += len + (line[len] == '\n');
        }
    return n;
}
