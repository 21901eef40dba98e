#include "target/parse.h"

#define LIST_BYTES   24u /* ArrayList */
#define LIST_FIRST   10u /* its first capacity */
#define STRING_BYTES 24u
#define CHARS_BYTES  32u /* byte[16] */
#define FIELD_CHARS  16u
#define FIELD_STEP   64u
#define ARRAY_HEADER 16u
#define REF_BYTES    4u

static bool add_string(struct mutator *m, size_t have, size_t *capacity)
{
    if (have == *capacity) {
        *capacity = have ? have + have / 2 : LIST_FIRST;
        if (!heap_garbage(m, ARRAY_HEADER + REF_BYTES * *capacity))
            return false;
    }
    return heap_garbage(m, STRING_BYTES) && heap_garbage(m, CHARS_BYTES);
}

bool parse_garbage(struct mutator *m, size_t bytes, uint32_t work)
{
    size_t n = 0, capacity = 0;
    if (!heap_garbage(m, LIST_BYTES))
        return false;
    for (size_t at = 0; at + FIELD_CHARS <= bytes;
         at += (size_t)FIELD_STEP * work)
        if (!add_string(m, n++, &capacity))
            return false;
    return true;
}
