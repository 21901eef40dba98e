#include "tests/integration/restore/bench_process.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/lib/check.h"

/* Call each with the pid of every process of the folder; their number. */
static unsigned each_process(const struct bench *b,
                             void (*each)(void *ctx, const char *pid),
                             void *ctx)
{
    DIR *proc = opendir("/proc");
    unsigned n = 0;
    assert_non_null(proc);
    for (struct dirent *d; (d = readdir(proc));) {
        char path[300], exe[256];
        (void)snprintf(path, sizeof path, "/proc/%s/exe", d->d_name);
        ssize_t len = readlink(path, exe, sizeof exe - 1);
        if (len < 0)
            continue;
        exe[len] = '\0';
        if (b && strncmp(exe, b->folder, strlen(b->folder)) != 0)
            continue;
        n++;
        if (each)
            each(ctx, d->d_name);
    }
    (void)closedir(proc);
    return n;
}

unsigned bench_processes(const struct bench *b)
{
    return each_process(b, NULL, NULL);
}

struct victim {
    const char *program;
    pid_t pid;
};

static void pick(void *ctx, const char *pid)
{
    struct victim *v = ctx;
    char path[300], exe[256];
    (void)snprintf(path, sizeof path, "/proc/%s/exe", pid);
    ssize_t len = readlink(path, exe, sizeof exe - 1);
    exe[len < 0 ? 0 : len] = '\0';
    const char *slash = strrchr(exe, '/');
    if (slash && !strcmp(slash + 1, v->program))
        v->pid = atoi(pid);
}

bool bench_kill(const struct bench *b, const char *program)
{
    struct victim v = {.program = program};
    (void)each_process(b, pick, &v);
    return v.pid > 0 && !kill(v.pid, SIGKILL);
}

struct inodes {
    ino_t *list;
    unsigned n;
    bool found;
};

static ino_t netns_of(const char *pid)
{
    char path[300];
    struct stat st;
    (void)snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    return stat(path, &st) ? 0 : st.st_ino;
}

static bool holds(const struct inodes *in, ino_t ino)
{
    for (unsigned i = 0; i < in->n; i++)
        if (in->list[i] == ino)
            return true;
    return false;
}

static void collect(void *ctx, const char *pid)
{
    struct inodes *in = ctx;
    ino_t ino = netns_of(pid);
    if (ino && ino != netns_of("self") && !holds(in, ino) &&
        in->n < BENCH_NETNS_MAX)
        in->list[in->n++] = ino;
}

unsigned bench_netns(const struct bench *b, ino_t list[BENCH_NETNS_MAX])
{
    struct inodes in = {.list = list};
    (void)each_process(b, collect, &in);
    return in.n;
}

static void look_for(void *ctx, const char *pid)
{
    struct inodes *in = ctx;
    in->found |= holds(in, netns_of(pid));
}

bool bench_netns_left(const ino_t *list, unsigned n)
{
    struct inodes in = {.list = (ino_t *)(uintptr_t)list, .n = n};
    (void)each_process(NULL, look_for, &in);
    return in.found;
}

struct named {
    const char *name;
    unsigned n;
};

static void kill_named(void *ctx, const char *pid)
{
    struct named *named = ctx;
    char path[300], name[32] = "";
    (void)snprintf(path, sizeof path, "/proc/%s/comm", pid);
    FILE *f = fopen(path, "r");
    if (f && fgets(name, sizeof name, f)) {
        name[strcspn(name, "\n")] = '\0';
        if (!strcmp(name, named->name) && !kill(atoi(pid), SIGKILL))
            named->n++;
    }
    if (f)
        (void)fclose(f);
}

unsigned bench_kill_named(const struct bench *b, const char *name)
{
    struct named named = {.name = name};
    (void)each_process(b, kill_named, &named);
    return named.n;
}

bool bench_groups(const struct bench *b)
{
    char find[160];
    (void)snprintf(find, sizeof find,
                   "find /sys/fs/cgroup -name 'pitwall.*.%d.*' 2>&1 | "
                   "grep -q pitwall",
                   (int)b->last);
    return b->last > 0 && system(find) == 0;
}

bool bench_empty(const struct bench *b)
{
    uint64_t due_ns = clock_mono_ns() + 2 * NS_PER_S;
    while (bench_processes(b) || bench_groups(b)) {
        if (clock_mono_ns() > due_ns)
            return false;
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    }
    return true;
}
