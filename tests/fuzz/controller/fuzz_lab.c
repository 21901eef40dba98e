#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/lab_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* lab.json: whatever is accepted has benches of agents that are there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jv *root = NULL;
    struct lab_file *file = NULL;
    struct why why = {""};
    if (size > LAB_FILE_MAX ||
        jv_parse(&root, "lab.json", (const char *)data, size, &why))
        return 0;
    if (!lab_file_parse(&file, root, "/lab", &why)) {
        if (!file->n_agents || !file->n_benches)
            abort();
        for (unsigned i = 0; i < file->n_benches; i++) {
            const struct lab_place *place = &file->benches[i];
            if (!place->n || place->n > NEEDS_AGENTS_MAX ||
                !place->agents[place->n - 1].url[0])
                abort();
        }
    } else if (!why.text[0] || file) {
        abort();
    }
    free(file);
    jv_free(root);
    return 0;
}
