#include "agent/executor/machine_facts.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define ABSENT    "not there"
#define SWAPS_MAX 8 /* devices that are named */

/* The first line of a file; of a choice ("a [b] c") what is chosen. */
static bool read_line(const char *root, const char *path, char *buf,
                      size_t size)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%.200s%.300s", root, path);
    FILE *in = fopen(full, "re");
    bool got = in && fgets(buf, (int)size, in);
    if (in)
        (void)fclose(in);
    if (!got)
        return false;
    buf[strcspn(buf, "\n")] = '\0';
    char *open = strchr(buf, '['), *close = strchr(buf, ']');
    if (open && close > open) {
        *close = '\0';
        memmove(buf, open + 1, strlen(open + 1) + 1);
    }
    return true;
}

static void add_line(struct notes *notes, const char *root, const char *name,
                     const char *path)
{
    char line[200];
    bool got = read_line(root, path, line, sizeof line);
    notes_add(notes, name, "%s", got ? line : ABSENT);
}

/* "performance" where all have the same, else each by its file's order. */
static void add_governor(struct notes *notes, const char *root)
{
    char pattern[512], value[NOTE_VALUE_MAX] = "", first[64] = "", line[64];
    glob_t found = {.gl_pathc = 0};
    bool same = true;
    (void)snprintf(pattern, sizeof pattern, "%.200s" MACHINE_GOVERNORS, root);
    if (glob(pattern, 0, NULL, &found))
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!read_line("", found.gl_pathv[i], line, sizeof line))
            continue;
        if (!*first)
            (void)snprintf(first, sizeof first, "%s", line);
        same &= !strcmp(first, line);
        (void)notes_word(value, "%s", line);
    }
    globfree(&found);
    notes_add(notes, "machine.governor", "%s",
              !*first ? ABSENT
              : same  ? first
                      : value);
}

static void add_turbo(struct notes *notes, const char *root)
{
    char line[64];
    if (read_line(root, MACHINE_NO_TURBO, line, sizeof line))
        notes_add(notes, "machine.turbo", "%s",
                  strcmp(line, "0") ? "off" : "on");
    else if (read_line(root, MACHINE_BOOST, line, sizeof line))
        notes_add(notes, "machine.turbo", "%s",
                  strcmp(line, "0") ? "on" : "off");
    else
        notes_add(notes, "machine.turbo", ABSENT);
}

/* Lines of "file type size used priority", sizes in KiB, below a head. */
static void add_swap(struct notes *notes, const char *root)
{
    char full[512], line[512], value[NOTE_VALUE_MAX] = "";
    (void)snprintf(full, sizeof full, "%.200s/proc/swaps", root);
    FILE *in = fopen(full, "re");
    unsigned n = 0;
    bool head = in && fgets(line, sizeof line, in);
    while (head && n < SWAPS_MAX && fgets(line, sizeof line, in)) {
        char file[200], type[20];
        unsigned long long size = 0, used = 0;
        if (sscanf(line, "%199s %19s %llu %llu", file, type, &size, &used) != 4)
            continue;
        (void)notes_word(value, "%.150s (%llu KiB, %llu used)", file, size,
                         used);
        n++;
    }
    if (in)
        (void)fclose(in);
    notes_add(notes, "machine.swap", "%s", n ? value : in ? "none" : ABSENT);
}

/* "node0=0-3 node1=4-7": what a pin list would choose from. */
static void add_nodes(struct notes *notes, const char *root)
{
    char pattern[512], value[NOTE_VALUE_MAX] = "", line[200];
    glob_t found = {.gl_pathc = 0};
    (void)snprintf(pattern, sizeof pattern,
                   "%.200s/sys/devices/system/node/node[0-9]*/cpulist", root);
    if (glob(pattern, 0, NULL, &found))
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *end = strrchr(found.gl_pathv[i], '/');
        if (!read_line("", found.gl_pathv[i], line, sizeof line))
            continue;
        *end = '\0';
        (void)notes_word(value, "%s=%.150s",
                         strrchr(found.gl_pathv[i], '/') + 1, line);
    }
    globfree(&found);
    notes_add(notes, "machine.numa_nodes", "%s", *value ? value : ABSENT);
}

void machine_facts_add(struct notes *notes, const char *root)
{
    add_governor(notes, root);
    add_turbo(notes, root);
    add_line(notes, root, "machine.thp", MACHINE_THP);
    add_swap(notes, root);
    add_line(notes, root, "machine.swappiness", "/proc/sys/vm/swappiness");
    add_nodes(notes, root);
    add_line(notes, root, "machine.numa_balancing",
             "/proc/sys/kernel/numa_balancing");
}
