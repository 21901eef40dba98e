#include "agent/executor/orphan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ended ones may have left more of their kind. */
#define ROUNDS_MAX 16

void orphan_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

struct process_stat {
    char name[32], state;
    pid_t parent;
};

/* "PID (NAME) STATE PPID ..."; the name may hold anything. */
static bool read_stat(const char *pid, struct process_stat *out)
{
    char path[32], text[256];
    (void)snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    int parent = 0;
    if (!open || !close || close < open ||
        sscanf(close + 1, " %c %d", &out->state, &parent) != 2)
        return false;
    *close = '\0';
    (void)snprintf(out->name, sizeof out->name, "%.31s", open + 1);
    out->parent = (pid_t)parent;
    return true;
}

/* Ours carry our programs' names, and are ended by those who know them. */
static bool left_over(const struct process_stat *p, pid_t parent)
{
    return p->parent == parent && p->state != 'Z' &&
           strncmp(p->name, "pitwall-", 8) != 0;
}

static pid_t parent_of(const struct cage *cage)
{
    return cage->mode == CAGE_PLAIN ? getpid() : cage->init;
}

/* Call each(ctx) for every such process; their number. */
typedef void each_orphan(void *ctx, pid_t pid, const char *name);

static unsigned walk(pid_t parent, each_orphan *each, void *ctx)
{
    DIR *proc = opendir("/proc");
    unsigned n = 0;
    for (struct dirent *d; proc && (d = readdir(proc));) {
        struct process_stat p;
        if (!isdigit((unsigned char)d->d_name[0]) ||
            !read_stat(d->d_name, &p) || !left_over(&p, parent))
            continue;
        n++;
        each(ctx, (pid_t)atoi(d->d_name), p.name);
    }
    if (proc)
        (void)closedir(proc);
    return n;
}

struct list {
    char *buf;
    size_t size, used;
};

static void append(void *ctx, pid_t pid, const char *name)
{
    struct list *l = ctx;
    (void)pid;
    size_t room = l->size - l->used;
    int n = snprintf(l->buf + l->used, room, "%s%s", l->used ? ", " : "", name);
    if (n > 0 && (size_t)n < room)
        l->used += (size_t)n;
    else
        l->buf[l->used] = '\0';
}

bool orphan_names(const struct cage *cage, char *buf, size_t size)
{
    struct list list = {.buf = buf, .size = size};
    buf[0] = '\0';
    return cage->init > 0 && walk(parent_of(cage), append, &list) > 0;
}

static void end_one(void *ctx, pid_t pid, const char *name)
{
    (void)ctx, (void)name;
    (void)kill(pid, SIGKILL); /* our child, not reaped yet */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

void orphan_end(const struct cage *cage)
{
    if (cage->mode != CAGE_PLAIN || cage->init <= 0)
        return;
    for (int i = 0; i < ROUNDS_MAX && walk(getpid(), end_one, NULL); i++)
        ;
}
