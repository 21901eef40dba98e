/* Functions' names by address, from texts of lines: what the kernel says of
 * itself (/proc/kallsyms) and what a virtual machine says of the code that it
 * makes (perf-PID.map). The texts are not trusted. */
#ifndef PITWALL_AGENT_WATCH_SYMTAB_H
#define PITWALL_AGENT_WATCH_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMTAB_MAX      (1u << 19)  /* functions; others have no name */
#define SYMTAB_TEXT_MAX (64u << 20) /* bytes of a text; the rest is left */

enum symtab_kind {
    SYMTAB_KERNEL, /* "ffffffff81000000 T _stext", some with "\t[module]" */
    SYMTAB_MADE    /* "7f30c0a8 1c0 Interpreter", names with blanks too */
};

struct symtab_entry {
    uint64_t address, size; /* 0: to the next one */
    uint32_t name;          /* where it begins in the text */
};

struct symtab {
    char *text; /* [len] */
    size_t len;
    struct symtab_entry *entries; /* [n], by address */
    size_t n;
};

/* Read text[len], which was malloc'ed, NULL or not, and is the table's from
 * here on. Lines of another shape are passed over, and so are the kernel's
 * when it hides its addresses. Owns: symtab_fini. */
void symtab_take(struct symtab *table, enum symtab_kind kind, char *text,
                 size_t len);
void symtab_fini(struct symtab *table);

/* The same from a file, which is read from its beginning; fd -1: nothing. */
void symtab_read(struct symtab *table, enum symtab_kind kind, int fd);

/* The function at an address, into name (cut to size): false when there is
 * none. Where several overlap, the one that begins last, and of those the last
 * line: code is made anew in the place of old. */
bool symtab_name(const struct symtab *table, uint64_t address, char *name,
                 size_t size);

#endif
