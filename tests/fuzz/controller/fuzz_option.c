/* Anything as the text of -m, --exclude and --zip: it is refused with a text or
 * taken, and what was taken expands or is refused with a text. */
#include <stdlib.h>
#include <string.h>

#include "controller/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void told(enum err e, const struct why *why)
{
    if (e && !why->text[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiment *ex = malloc(sizeof *ex);
    char *text = malloc(size + 1);
    struct matrix matrix;
    if (!ex || !text || size > 4096)
        goto out;
    memcpy(text, data, size);
    text[size] = '\0';
    experiment_init(ex);
    /* A line each: -m, then "!exclude", "&zip". */
    for (char *line = text; line;) {
        struct why why = {""};
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (*line == '!')
            told(experiment_exclude(ex, line + 1, &why), &why);
        else if (*line == '&')
            told(experiment_zip(ex, line + 1, &why), &why);
        else
            told(experiment_option(ex, line, &why), &why);
        line = end ? end + 1 : NULL;
    }
    struct why why = {""};
    enum err e = matrix_expand(ex, &matrix, &why);
    told(e, &why);
    if (!e && (!matrix.n_cells || matrix.n_cells > MATRIX_CELLS_MAX))
        abort();
    if (!e)
        matrix_free(&matrix);
out:
    free(ex);
    free(text);
    return 0;
}
