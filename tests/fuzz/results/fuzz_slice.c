/* What people type to name cells: "3:heap=1g,link=lo". */
#include <stdlib.h>
#include <string.h>

#include "results/slice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *heaps[] = {"1g", "2g"}, *links[] = {"lo", "veth:mtu=1500"};
static struct matrix_factor factors[] = {{"heap", heaps, 2},
                                         {"link", links, 2}};
static uint32_t levels[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
static struct matrix_cell cells[] = {{"a", levels[0], PURPOSE_MEASURE, 0},
                                     {"b", levels[1], PURPOSE_MEASURE, 0},
                                     {"c", levels[2], PURPOSE_MEASURE, 0},
                                     {"d", levels[3], PURPOSE_MEASURE, 0}};
static const struct matrix matrix = {
    .factors = factors, .n_factors = 2, .cells = cells, .n_cells = 4};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {{0}};
    struct slice slice = {.levels = NULL};
    char id[SLICE_ID_MAX + 1];
    const char *terms = NULL;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!slice_split(text, id, &terms, &why) &&
        (strlen(id) > SLICE_ID_MAX || terms < text ||
         terms > text + strlen(text)))
        abort();
    if (terms && !slice_parse(&slice, &matrix, terms, &why)) {
        size_t n = 0;
        for (size_t c = 0; c < 4; c++)
            n += slice_has(&slice, &cells[c]);
        /* Every level that is wanted is a cell's here. */
        if (!n)
            abort();
    }
    slice_fini(&slice);
    free(text);
    return 0;
}
