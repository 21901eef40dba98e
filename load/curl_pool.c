#include "load/curl_pool.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/curl.h"

#define STEP_BYTES  ((size_t)16)
#define SMALL_BYTES ((size_t)1 << 10)
#define N_SMALL     (SMALL_BYTES / STEP_BYTES)
#define NOT_KEPT    CURL_POOL_CLASSES

/* Before the memory itself, which it keeps aligned. */
struct curl_pool_block {
    struct curl_pool_block *next;
    size_t class;
};

static_assert(sizeof(struct curl_pool_block) == STEP_BYTES, "aligned");

static _Thread_local struct curl_pool *in_use;

static size_t class_of(size_t bytes)
{
    if (bytes <= SMALL_BYTES)
        return bytes ? (bytes - 1) / STEP_BYTES : 0;
    size_t class = N_SMALL;
    for (size_t most = 2 * SMALL_BYTES; class < NOT_KEPT && most < bytes;
         most *= 2)
        class ++;
    return class;
}

static size_t bytes_of(size_t class)
{
    return class < N_SMALL ? (class + 1) * STEP_BYTES
                           : SMALL_BYTES << (class - N_SMALL + 1);
}

static void *pool_malloc(size_t bytes)
{
    size_t class = class_of(bytes);
    bool kept = class < NOT_KEPT;
    struct curl_pool_block *b = in_use && kept ? in_use->unused[class] : NULL;
    if (b) {
        in_use->unused[class] = b->next;
        return b + 1;
    }
    if (!kept && bytes > SIZE_MAX - sizeof *b)
        return NULL;
    b = malloc(sizeof *b + (kept ? bytes_of(class) : bytes));
    if (!b)
        return NULL;
    b->class = class;
    return b + 1;
}

static void pool_free(void *memory)
{
    if (!memory)
        return;
    struct curl_pool_block *b = (struct curl_pool_block *)memory - 1;
    if (!in_use || b->class == NOT_KEPT) {
        free(b);
        return;
    }
    b->next = in_use->unused[b->class];
    in_use->unused[b->class] = b;
}

static void *pool_realloc(void *memory, size_t bytes)
{
    if (!memory)
        return pool_malloc(bytes);
    struct curl_pool_block *b = (struct curl_pool_block *)memory - 1;
    if (b->class == NOT_KEPT) {
        if (bytes > SIZE_MAX - sizeof *b)
            return NULL;
        b = realloc(b, sizeof *b + bytes);
        return b ? b + 1 : NULL;
    }
    size_t had = bytes_of(b->class);
    if (bytes <= had)
        return memory;
    void *more = pool_malloc(bytes);
    if (!more)
        return NULL;
    memcpy(more, memory, had);
    pool_free(memory);
    return more;
}

static void *pool_calloc(size_t n, size_t each)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, each, &bytes))
        return NULL;
    void *memory = pool_malloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static char *pool_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = pool_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

bool curl_pool_global(void)
{
    return !curl_global_init_mem(CURL_GLOBAL_DEFAULT, pool_malloc, pool_free,
                                 pool_realloc, pool_strdup, pool_calloc);
}

struct curl_pool *curl_pool_use(struct curl_pool *pool)
{
    struct curl_pool *before = in_use;
    in_use = pool;
    return before;
}

void curl_pool_fini(struct curl_pool *pool)
{
    for (size_t i = 0; i < CURL_POOL_CLASSES; i++)
        while (pool->unused[i]) {
            struct curl_pool_block *b = pool->unused[i];
            pool->unused[i] = b->next;
            free(b);
        }
}
