#include "agent/watch/elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The i-th of an array of things of size bytes; false: not within the file. */
static bool item(const struct elf *elf, uint64_t at, uint64_t i, void *out,
                 size_t size)
{
    uint64_t end = 0;
    if (__builtin_mul_overflow(i, size, &i) ||
        __builtin_add_overflow(at, i, &at) ||
        __builtin_add_overflow(at, size, &end) || end > elf->len)
        return false;
    memcpy(out, elf->data + at, size);
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct elf_function *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void add_table(struct elf *elf, const Elf64_Shdr *table,
                      const Elf64_Shdr *names)
{
    Elf64_Sym s;
    uint64_t n = table->sh_size / sizeof s;
    n = n < ELF_FUNCTIONS_MAX ? n : ELF_FUNCTIONS_MAX;
    if (table->sh_offset > elf->len || names->sh_offset > elf->len ||
        elf->len > UINT32_MAX)
        return;
    elf->functions = calloc(n + 1, sizeof *elf->functions);
    for (uint64_t i = 0; elf->functions && i < n; i++)
        if (item(elf, table->sh_offset, i, &s, sizeof s) &&
            ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_value &&
            s.st_name < elf->len - names->sh_offset)
            elf->functions[elf->n++] = (struct elf_function){
                s.st_value, s.st_size, (uint32_t)names->sh_offset + s.st_name};
    if (elf->n)
        qsort(elf->functions, elf->n, sizeof *elf->functions, by_address);
}

static bool header(const struct elf *elf, Elf64_Ehdr *h)
{
    return item(elf, 0, 0, h, sizeof *h) &&
           !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
           h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == ELFDATA2LSB &&
           h->e_shentsize == sizeof(Elf64_Shdr) &&
           h->e_phentsize == sizeof(Elf64_Phdr);
}

void elf_init(struct elf *elf, const uint8_t *data, size_t len)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    Elf64_Ehdr h;
    Elf64_Shdr table, names;
    *elf = (struct elf){.data = data, .len = len};
    if (!header(elf, &h))
        return;
    for (size_t t = 0; t < 2; t++)
        for (unsigned i = 0; !elf->functions && i < h.e_shnum; i++)
            if (item(elf, h.e_shoff, i, &table, sizeof table) &&
                table.sh_type == types[t] &&
                item(elf, h.e_shoff, table.sh_link, &names, sizeof names))
                add_table(elf, &table, &names);
}

void elf_fini(struct elf *elf)
{
    free(elf->functions);
    elf->functions = NULL;
    elf->n = 0;
}

/* Where a place in the file is linked to. */
static bool linked(const struct elf *elf, uint64_t offset, uint64_t *address)
{
    Elf64_Ehdr h;
    Elf64_Phdr p;
    if (!header(elf, &h))
        return false;
    for (unsigned i = 0; i < h.e_phnum; i++)
        if (item(elf, h.e_phoff, i, &p, sizeof p) && p.p_type == PT_LOAD &&
            offset >= p.p_offset && offset - p.p_offset < p.p_filesz) {
            *address = offset - p.p_offset + p.p_vaddr;
            return true;
        }
    return false;
}

bool elf_name(const struct elf *elf, uint64_t offset, char *name, size_t size)
{
    uint64_t at = 0;
    size_t low = 0, high = elf->n;
    if (!linked(elf, offset, &at))
        return false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (elf->functions[mid].address <= at)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return false;
    const struct elf_function *f = &elf->functions[low - 1];
    if (f->size && at - f->address >= f->size)
        return false;
    const char *text = (const char *)elf->data + f->name;
    size_t n = strnlen(text, elf->len - f->name);
    (void)snprintf(name, size, "%.*s", n < 200 ? (int)n : 200, text);
    return *name != '\0';
}
