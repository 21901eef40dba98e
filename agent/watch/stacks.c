#include "agent/watch/stacks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/attach.h"
#include "agent/watch/modules.h"
#include "common/clock.h"

#define PROCESSES_MAX 16
#define FRAMES_MAX    254 /* of a sample; the kernel gives 127 of each kind */
#define FLUSH_EACH    16  /* of the longest, half of the pipe's ring */
#define FLUSH_NS      (NS_PER_S / 10)
#define JVM_NS        (2 * NS_PER_S)
#define NAME_BYTES    256
#define TEXT_MAX      8191 /* of a record */
/* perf_callchain_context: what follows is of the kernel, of the program. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_FIRST  ((uint64_t)-4095)

struct stacks_process {
    int pid;
    size_t index;
    char comm[17];
    struct modules modules;
};

/* A sample in raw: index of its process << 16 | words that follow. Those are
 * as the kernel gave them, markers among them, innermost first. */
struct stacks {
    const char *proc_dir;
    struct stacks_process *processes[PROCESSES_MAX];
    size_t n_processes, n;
    uint64_t *raw; /* [STACKS_RAW_WORDS] */
    size_t n_raw;
    struct symtab kernel;
    bool kernel_read;
    struct stack {
        char *text;
        uint64_t samples;
    } table[2 * STACKS_MAX];
    uint64_t beyond;
    struct why jvm; /* why a virtual machine's code has no names */
    char names[FRAMES_MAX][NAME_BYTES];
};

enum err stacks_open(struct stacks **out, const char *proc_dir, struct why *why)
{
    *out = calloc(1, sizeof **out);
    if (*out)
        (*out)->raw = calloc(STACKS_RAW_WORDS, sizeof *(*out)->raw);
    if (!*out || !(*out)->raw) {
        free(*out);
        *out = NULL;
        return err_set(why, ERR_NOMEM, "stacks");
    }
    (*out)->proc_dir = proc_dir;
    return ERR_OK;
}

void stacks_close(struct stacks *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_processes; i++) {
        modules_fini(&s->processes[i]->modules);
        free(s->processes[i]);
    }
    for (size_t i = 0; i < 2 * STACKS_MAX; i++)
        free(s->table[i].text);
    symtab_fini(&s->kernel);
    free(s->raw);
    free(s);
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
    p->index = s->n_processes;
    (void)snprintf(p->comm, sizeof p->comm, "%.15s", comm);
    modules_read(&p->modules, s->proc_dir, pid);
    s->processes[s->n_processes++] = p;
    return p;
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

/* Semicolons and blanks part what is folded; the rest is for people. */
static void make_plain(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == ';' || *c <= ' ' || *c > '~')
            *c = *c == '\0' || *c == ';' || *c == ' ' ? '_' : '?';
}

static void name_kernel(const struct stacks *s, uint64_t address, char *name)
{
    char found[NAME_BYTES - 8];
    if (symtab_name(&s->kernel, address, found, sizeof found))
        (void)snprintf(name, NAME_BYTES, "%s_[k]", found);
    else
        (void)snprintf(name, NAME_BYTES, "[kernel]");
}

/* Names of a sample's frames into s->names, innermost first; how many. What
 * the kernel does not name is one frame, however deep. */
static size_t name_frames(struct stacks *s, const struct stacks_process *p,
                          const uint64_t *words, size_t n_words)
{
    bool in_kernel = false;
    size_t n = 0;
    for (size_t i = 0; i < n_words && n < FRAMES_MAX; i++) {
        if (words[i] >= CONTEXT_FIRST) {
            in_kernel = words[i] == CONTEXT_KERNEL;
            continue;
        }
        if (in_kernel)
            name_kernel(s, words[i], s->names[n]);
        else
            modules_name(&p->modules, words[i], s->names[n], NAME_BYTES);
        make_plain(s->names[n]);
        if (in_kernel && n && !strcmp(s->names[n], "[kernel]") &&
            !strcmp(s->names[n - 1], "[kernel]"))
            continue;
        n++;
    }
    return n;
}

/* A text that would be too long lacks the outermost frames. */
static void fold(struct stacks *s, const struct stacks_process *p,
                 const uint64_t *words, size_t n_words)
{
    static const char cut[] = ";[cut]";
    char text[TEXT_MAX + 1];
    size_t n = name_frames(s, p, words, n_words), kept = 0;
    size_t used = (size_t)snprintf(text, sizeof text, "%s", p->comm);
    for (size_t len = used + sizeof cut; kept < n; kept++) {
        len += 1 + strlen(s->names[kept]);
        if (len > TEXT_MAX)
            break;
    }
    if (kept < n)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", cut);
    while (kept-- > 0)
        used += (size_t)snprintf(text + used, sizeof text - used, ";%s",
                                 s->names[kept]);
    count(s, text);
}

static void read_kernel(struct stacks *s)
{
    char path[64];
    if (s->kernel_read)
        return;
    s->kernel_read = true;
    (void)snprintf(path, sizeof path, "%.40s/kallsyms", s->proc_dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    symtab_read(&s->kernel, SYMTAB_KERNEL, fd);
    if (fd >= 0)
        (void)close(fd);
}

static void fold_all(struct stacks *s)
{
    read_kernel(s);
    for (size_t i = 0; i < s->n_processes; i++)
        modules_read(&s->processes[i]->modules, s->proc_dir,
                     s->processes[i]->pid);
    for (size_t at = 0; at < s->n_raw;) {
        uint64_t head = s->raw[at++];
        size_t n = head & UINT16_MAX;
        fold(s, s->processes[head >> 16], s->raw + at, n);
        at += n;
    }
    s->n_raw = 0;
}

void stacks_add(struct stacks *s, const struct stacks_process *p,
                const uint8_t *data, size_t len)
{
    size_t n = len / sizeof *s->raw;
    if (n > UINT16_MAX)
        return;
    if (n >= STACKS_RAW_WORDS - s->n_raw)
        fold_all(s);
    s->raw[s->n_raw] = (uint64_t)p->index << 16 | n;
    memcpy(s->raw + s->n_raw + 1, data, n * sizeof *s->raw);
    s->n_raw += 1 + n;
}

/* The virtual machines among the processes write their maps. */
static void ask_jvms(struct stacks *s)
{
    uint64_t due_ns = clock_mono_ns() + JVM_NS;
    for (size_t i = 0; i < s->n_processes; i++) {
        const struct stacks_process *p = s->processes[i];
        struct why why = {""};
        if (modules_have(&p->modules, "libjvm.so") &&
            attach_ask(s->proc_dir, p->pid, "Compiler.perfmap", due_ns, &why))
            s->jvm = why;
    }
}

void stacks_emit(struct stacks *s, struct emit *emit)
{
    struct record_stack r;
    size_t told = 0;
    ask_jvms(s);
    fold_all(s);
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
    if (s->jvm.text[0])
        emit_fact(emit, "watch.jvm_error", s->jvm.text);
}
