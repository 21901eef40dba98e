#include "agent/watch/stacks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/elf.h"
#include "common/clock.h"

#define PROCESSES_MAX 16
#define MODULES_MAX   64 /* executable mappings of one process */
#define FRAMES_MAX    127
#define FLUSH_EACH    16 /* of the longest, half of the pipe's ring */
#define FLUSH_NS      (NS_PER_S / 10)
#define TEXT_MAX      8191 /* of a record */
/* perf_callchain_context: what follows is of the kernel, of the program. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)
#define CONTEXT_FIRST  ((uint64_t)-4095)

struct module {
    uint64_t begin, end, offset; /* where it is mapped, of what in the file */
    char name[64];
    struct elf elf;
    void *map;
};

struct stacks_process {
    int pid;
    char comm[17];
    struct module modules[MODULES_MAX];
    size_t n_modules;
};

struct stacks {
    const char *proc_dir;
    struct stacks_process *processes[PROCESSES_MAX];
    size_t n_processes, n;
    struct stack {
        char *text;
        uint64_t samples;
    } table[2 * STACKS_MAX];
    uint64_t beyond;
};

enum err stacks_open(struct stacks **out, const char *proc_dir, struct why *why)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_set(why, ERR_NOMEM, "stacks");
    (*out)->proc_dir = proc_dir;
    return ERR_OK;
}

static void close_process(struct stacks_process *p)
{
    for (size_t i = 0; i < p->n_modules; i++) {
        struct module *m = &p->modules[i];
        size_t len = m->elf.len;
        elf_fini(&m->elf);
        if (m->map)
            (void)munmap(m->map, len);
    }
    free(p);
}

void stacks_close(struct stacks *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_processes; i++)
        close_process(s->processes[i]);
    for (size_t i = 0; i < 2 * STACKS_MAX; i++)
        free(s->table[i].text);
    free(s);
}

static void open_module(struct module *m, const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    (void)snprintf(m->name, sizeof m->name, "[%.60s]",
                   slash ? slash + 1 : path);
    int fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
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
static void read_maps(struct stacks_process *p, const char *proc_dir)
{
    char path[64], line[512], flags[8], file[400];
    (void)snprintf(path, sizeof path, "%.40s/%d/maps", proc_dir, p->pid);
    FILE *maps = fopen(path, "re");
    while (maps && p->n_modules < MODULES_MAX &&
           fgets(line, sizeof line, maps)) {
        struct module *m = &p->modules[p->n_modules];
        unsigned long begin = 0, end = 0, offset = 0;
        file[0] = '\0';
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %399s", &begin, &end, flags,
                   &offset, file) < 4 ||
            !strchr(flags, 'x'))
            continue;
        *m = (struct module){.begin = begin, .end = end, .offset = offset};
        open_module(m, *file ? file : "anonymous");
        p->n_modules++;
    }
    if (maps)
        (void)fclose(maps);
}

struct stacks_process *stacks_process(struct stacks *s, int pid,
                                      const char *comm)
{
    for (size_t i = 0; i < s->n_processes; i++)
        if (s->processes[i]->pid == pid)
            return s->processes[i];
    struct stacks_process *p =
        s->n_processes < PROCESSES_MAX ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->pid = pid;
    (void)snprintf(p->comm, sizeof p->comm, "%.15s", comm);
    read_maps(p, s->proc_dir);
    s->processes[s->n_processes++] = p;
    return p;
}

/* Semicolons and blanks part what is folded. */
static void name_frame(const struct stacks_process *p, uint64_t address,
                       char *name, size_t size)
{
    (void)snprintf(name, size, "[unknown]");
    for (size_t i = 0; i < p->n_modules; i++) {
        const struct module *m = &p->modules[i];
        if (address < m->begin || address >= m->end)
            continue;
        if (!elf_name(&m->elf, address - m->begin + m->offset, name, size))
            (void)snprintf(name, size, "%s", m->name);
    }
    for (char *c = name; *c; c++)
        if (*c == ';' || *c == ' ' || (unsigned char)*c < ' ')
            *c = '_';
}

static void count(struct stacks *s, const char *text)
{
    uint64_t hash = 14695981039346656037ull; /* FNV-1a */
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
    for (size_t at = (size_t)hash;; at++) {
        struct stack *stack = &s->table[at % (2 * STACKS_MAX)];
        if (!stack->text && s->n < STACKS_MAX) {
            stack->text = strdup(text);
            s->n += stack->text != NULL;
        }
        if (!stack->text) {
            s->beyond++;
            return;
        }
        if (!strcmp(stack->text, text)) {
            stack->samples++;
            return;
        }
    }
}

void stacks_add(struct stacks *s, struct stacks_process *p, const uint8_t *data,
                size_t len)
{
    uint64_t frames[FRAMES_MAX], address;
    size_t n = 0;
    bool kernel = false, in_kernel = false;
    for (; len >= sizeof address && n < FRAMES_MAX;
         data += sizeof address, len -= sizeof address) {
        memcpy(&address, data, sizeof address);
        if (address >= CONTEXT_FIRST)
            in_kernel = address == CONTEXT_KERNEL;
        else if (in_kernel)
            kernel = true;
        else
            frames[n++] = address;
    }
    char text[TEXT_MAX + 1], name[256];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", p->comm);
    while (n-- > 0 && used < sizeof text) {
        name_frame(p, frames[n], name, sizeof name);
        used += (size_t)snprintf(text + used, sizeof text - used, ";%s", name);
    }
    if (kernel && used < sizeof text)
        (void)snprintf(text + used, sizeof text - used, ";[kernel]");
    count(s, text);
}

void stacks_emit(const struct stacks *s, struct emit *emit)
{
    struct record_stack r;
    size_t told = 0;
    for (size_t i = 0; i < 2 * STACKS_MAX; i++) {
        if (!s->table[i].text)
            continue;
        r = (struct record_stack){.samples = s->table[i].samples};
        emit_side(emit, r.side);
        (void)snprintf(r.stack, sizeof r.stack, "%s", s->table[i].text);
        emit_record(emit, RECORD_IS_stack, &r);
        if (++told % FLUSH_EACH)
            continue;
        /* What does not fit after that is counted. */
        enum err e =
            child_pipe_flush(&emit->pipe, clock_mono_ns() + FLUSH_NS, NULL);
        (void)e;
    }
    if (s->beyond)
        emit_count(emit, "watch.stacks_beyond", s->beyond);
}
