/* A path (the first line) in an answer (the rest): what does not hold is
 * explained, in a text that ends within its room. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "load/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[200], text[40];
    struct why why = {0};
    struct jv *want;
    const char *answer = (const char *)data;
    size_t len = 0;
    while (len < size && len < sizeof path - 1 && answer[len] != '\n')
        len++;
    memcpy(path, answer, len);
    path[len] = 0;
    len += len < size;
    if (jv_parse(&want, "want", "0", 1, &why))
        abort();
    const struct plan_request request = {.want_path = path, .want = want};
    memset(text, 'x', sizeof text);
    if (!condition_holds(&request, answer + len, size - len, text,
                         sizeof text) &&
        !memchr(text, 0, sizeof text))
        abort();
    jv_free(want);
    return 0;
}
