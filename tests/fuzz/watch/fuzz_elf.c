/* Programs' files. */
#include "agent/watch/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf elf;
    char name[64];
    elf_init(&elf, data, size);
    for (uint64_t at = 0; at < size; at += 1 + size / 16)
        (void)elf_name(&elf, at, name, sizeof name);
    elf_fini(&elf);
    return 0;
}
