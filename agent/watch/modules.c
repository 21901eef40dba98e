#include "agent/watch/modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/status.h"

/* A file by its name in the process's own tree of mounts; where that is not
 * ours to see, in our own. */
static int open_file(const char *root, const char *path)
{
    char full[600];
    int n = snprintf(full, sizeof full, "%s%s", root, path);
    int fd = n > 0 && (size_t)n < sizeof full
                 ? open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                 : -1;
    return fd >= 0 ? fd : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void open_module(struct module *m, const char *root, const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    if (*path == '[')
        (void)snprintf(m->name, sizeof m->name, "%.60s", path);
    else
        (void)snprintf(m->name, sizeof m->name, "[%.60s]",
                       slash ? slash + 1 : path);
    int fd = *path == '/' ? open_file(root, path) : -1;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        m->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (m->map == MAP_FAILED)
            m->map = NULL;
        else
            elf_init(&m->elf, m->map, (size_t)st.st_size);
    }
    if (fd >= 0)
        (void)close(fd);
}

/* "begin-end r-xp offset device inode path" */
static void read_maps(struct modules *modules, const char *proc_dir, int pid)
{
    char path[64], root[64], line[512], flags[8], file[400];
    (void)snprintf(path, sizeof path, "%.40s/%d/maps", proc_dir, pid);
    (void)snprintf(root, sizeof root, "%.40s/%d/root", proc_dir, pid);
    FILE *maps = fopen(path, "re");
    modules->all = maps ? calloc(MODULES_MAX, sizeof *modules->all) : NULL;
    while (modules->all && modules->n < MODULES_MAX &&
           fgets(line, sizeof line, maps)) {
        struct module *m = &modules->all[modules->n];
        unsigned long begin = 0, end = 0, offset = 0;
        file[0] = '\0';
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %399s", &begin, &end, flags,
                   &offset, file) < 4 ||
            !strchr(flags, 'x'))
            continue;
        *m = (struct module){.begin = begin, .end = end, .offset = offset};
        open_module(m, root, *file ? file : "anonymous");
        modules->n++;
    }
    if (maps)
        (void)fclose(maps);
}

/* By which number the process names its file. */
static int own_pid(const char *proc_dir, int pid)
{
    struct status status;
    return status_read(&status, proc_dir, pid) ? status.own_pid : pid;
}

/* Other programs may write into /tmp too: only a plain file is read. */
static void read_made(struct modules *modules, const char *proc_dir, int pid)
{
    char path[96];
    struct stat st;
    (void)snprintf(path, sizeof path, "%.40s/%d/root/tmp/perf-%d.map", proc_dir,
                   pid, own_pid(proc_dir, pid));
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
        symtab_read(&modules->made, SYMTAB_MADE, fd);
    if (fd >= 0)
        (void)close(fd);
}

void modules_read(struct modules *modules, const char *proc_dir, int pid)
{
    struct modules now = {0};
    read_maps(&now, proc_dir, pid);
    if (now.n) {
        read_made(&now, proc_dir, pid);
        modules_fini(modules);
        *modules = now;
    } else {
        modules_fini(&now);
    }
}

void modules_fini(struct modules *modules)
{
    for (size_t i = 0; i < modules->n; i++) {
        struct module *m = &modules->all[i];
        size_t len = m->elf.len;
        elf_fini(&m->elf);
        if (m->map)
            (void)munmap(m->map, len);
    }
    free(modules->all);
    symtab_fini(&modules->made);
    *modules = (struct modules){0};
}

bool modules_have(const struct modules *modules, const char *file)
{
    size_t len = strlen(file);
    for (size_t i = 0; i < modules->n; i++) {
        const char *name = modules->all[i].name;
        if (name[0] == '[' && !strncmp(name + 1, file, len) &&
            name[len + 1] == ']')
            return true;
    }
    return false;
}

void modules_name(const struct modules *modules, uint64_t address, char *name,
                  size_t size)
{
    (void)snprintf(name, size, "[unknown]");
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->all[i];
        if (address < m->begin || address >= m->end)
            continue;
        if (!elf_name(&m->elf, address - m->begin + m->offset, name, size) &&
            !symtab_name(&modules->made, address, name, size))
            (void)snprintf(name, size, "%s", m->name);
        return;
    }
}
