#include "tests/integration/restore/bench_process.h"

#include <dirent.h>
#include <fcntl.h>
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

struct search {
    struct bench_netns *list;
    unsigned n;
    bool found;
};

static const char *netns_path(char path[300], const char *pid)
{
    (void)snprintf(path, 300, "/proc/%s/ns/net", pid);
    return path;
}

static ino_t netns_of(const char *pid)
{
    char path[300];
    struct stat st;
    return stat(netns_path(path, pid), &st) ? 0 : st.st_ino;
}

static bool lists(const struct search *s, ino_t ino)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->list[i].ino == ino)
            return true;
    return false;
}

static void collect(void *ctx, const char *pid)
{
    struct search *s = ctx;
    char path[300];
    struct stat st;
    int fd = open(netns_path(path, pid), O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && st.st_ino != netns_of("self") &&
        !lists(s, st.st_ino) && s->n < BENCH_NETNS_MAX)
        s->list[s->n++] = (struct bench_netns){st.st_ino, fd};
    else if (fd >= 0)
        (void)close(fd);
}

unsigned bench_netns(const struct bench *b,
                     struct bench_netns list[BENCH_NETNS_MAX])
{
    struct search s = {.list = list};
    (void)each_process(b, collect, &s);
    return s.n;
}

static void look_for(void *ctx, const char *pid)
{
    struct search *s = ctx;
    s->found |= lists(s, netns_of(pid));
}

bool bench_netns_left(struct bench_netns *list, unsigned n)
{
    struct search s = {.list = list, .n = n};
    (void)each_process(NULL, look_for, &s);
    for (unsigned i = 0; i < n; i++)
        (void)close(list[i].held);
    return s.found;
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
    /* What find says of others' groups, gone while it looks, is not for us. */
    (void)snprintf(find, sizeof find,
                   "find /sys/fs/cgroup -name 'pitwall.*.%d.*' 2>/dev/null | "
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
