/* Stacks of strangers, a line each, with as many samples as it is long. */
#include <stdlib.h>
#include <string.h>

#include "results/flame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flame_stack stacks[64];
    size_t n = 0, len = 0;
    char *text = malloc(size + 1), *save = NULL;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &save); line && n < 64;
         line = strtok_r(NULL, "\n", &save))
        stacks[n++] = (struct flame_stack){line, strlen(line) << 8 * (n % 7)};
    char *svg = flame_draw(stacks, n, text, &len);
    /* Whole, and only what XML takes. */
    if (svg && (len < 8 || strcmp(svg + len - 7, "</svg>\n") != 0))
        abort();
    for (size_t i = 0; svg && i < len; i++)
        if ((unsigned char)svg[i] >= 127 || (svg[i] < ' ' && svg[i] != '\n'))
            abort();
    free(svg);
    free(text);
    return 0;
}
