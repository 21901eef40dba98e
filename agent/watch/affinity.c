#include "agent/watch/affinity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cpus.h"

static void add(struct affinity *a, pid_t thread)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set))
        return;
    a->looks++;
    if (!a->any)
        a->first = set;
    a->any = true;
    a->differ |= !CPU_EQUAL(&a->first, &set);
    CPU_OR(&a->all, &a->all, &set);
}

void affinity_look(struct affinity *a, int folder, uint64_t pid)
{
    char path[40];
    (void)snprintf(path, sizeof path, "%llu/task", (unsigned long long)pid);
    int fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    for (const struct dirent *d; (d = readdir(dir));)
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
            add(a, (pid_t)strtol(d->d_name, NULL, 10));
    (void)closedir(dir);
}

void affinity_emit(const struct affinity *a, struct emit *emit)
{
    char text[256];
    if (!a->any)
        return;
    cpus_show(&a->all, text, sizeof text);
    emit_fact(emit, "affinity", text);
    emit_count(emit, "affinity.looks", a->looks);
    if (a->differ)
        emit_fact(emit, "affinity.differs", "yes");
}
