/* Names of the functions of an ELF file (64 bits, of this machine's order), by
 * where they stand in it. Its bytes are not trusted. */
#ifndef PITWALL_AGENT_WATCH_ELF_H
#define PITWALL_AGENT_WATCH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_FUNCTIONS_MAX (1u << 18)

struct elf_function {
    uint64_t address, size; /* as linked */
    uint32_t name;          /* where it begins in the file */
};

struct elf {
    const uint8_t *data; /* [len]; borrowed for as long as names are asked */
    size_t len;
    struct elf_function *functions; /* [n], by address */
    size_t n;
};

/* Read the functions of the full table of symbols, else of the dynamic one. A
 * file of another shape has none. Owns: elf_fini. */
void elf_init(struct elf *elf, const uint8_t *data, size_t len);
void elf_fini(struct elf *elf);

/* The function at a place in the file, into name (cut to size): false when
 * there is none. */
bool elf_name(const struct elf *elf, uint64_t offset, char *name, size_t size);

#endif
