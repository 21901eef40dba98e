/* What kernels and virtual machines say of their code: the first byte chooses
 * the kind. */
#include <stdlib.h>
#include <string.h>

#include "agent/watch/status.h"
#include "agent/watch/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct symtab table;
    struct status status;
    char name[64];
    if (!size)
        return 0;
    const char *text = (const char *)data + 1;
    if (*data == 's') {
        (void)status_parse(text, size - 1, &status);
        return 0;
    }
    char *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, text, size - 1);
    symtab_take(&table, *data == 'k' ? SYMTAB_KERNEL : SYMTAB_MADE, copy,
                size - 1);
    for (size_t i = 0; i < table.n; i++) {
        (void)symtab_name(&table, table.entries[i].address, name, sizeof name);
        (void)symtab_name(&table, table.entries[i].address - 1, name, 2);
    }
    symtab_fini(&table);
    return 0;
}
