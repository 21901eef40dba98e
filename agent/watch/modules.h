/* What code a process has, by /proc/PID/maps: which function an address is in.
 * Names come from the files' symbols (elf.h), and from what the process itself
 * says of code that it made (symtab.h). */
#ifndef PITWALL_AGENT_WATCH_MODULES_H
#define PITWALL_AGENT_WATCH_MODULES_H

#include "agent/watch/elf.h"
#include "agent/watch/symtab.h"

#define MODULES_MAX 256 /* executable mappings of one process */

struct module {
    uint64_t begin, end, offset; /* where it is mapped, of what in the file */
    char name[64];               /* "[libc.so.6]", "[anonymous]" */
    struct elf elf;
    void *map;
};

struct modules {
    struct module *all; /* [n] */
    size_t n;
    struct symtab made; /* of /tmp/perf-PID.map in the process's own files */
};

/* Look at the process anew; proc_dir is "/proc". One that has ended (or whose
 * files may not be read) keeps what was found before. Owns: modules_fini; a
 * zeroed one has nothing. */
void modules_read(struct modules *modules, const char *proc_dir, int pid);
void modules_fini(struct modules *modules);

/* Whether one of these stands in a file of this name ("libjvm.so"). */
bool modules_have(const struct modules *modules, const char *file);

/* The function at an address, or in brackets the file, into name. */
void modules_name(const struct modules *modules, uint64_t address, char *name,
                  size_t size);

#endif
