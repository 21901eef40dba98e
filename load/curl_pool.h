/* The memory that libcurl allocates and frees for each request, some sixty
 * pieces, kept for the next one.
 *
 * libcurl has one allocator for the process and gives it no context, so that
 * the pool in use is a variable of the thread: set while an engine is in
 * libcurl, else there is none and memory comes from malloc. */
#ifndef PITWALL_LOAD_CURL_POOL_H
#define PITWALL_LOAD_CURL_POOL_H

#include <stdbool.h>

/* 16 bytes apart up to 1 KiB, then each twice the one before, up to 512 KiB;
 * what is larger is not kept. */
#define CURL_POOL_CLASSES (64 + 9)

struct curl_pool_block;

/* All zero: empty. */
struct curl_pool {
    struct curl_pool_block *unused[CURL_POOL_CLASSES]; /* last in, first out */
};

/* Initialize libcurl with this allocator, for curl_global_cleanup. false: no
 * memory. */
bool curl_pool_global(void);

/* Let the calling thread's libcurl take from this pool (borrowed until the next
 * call), NULL: from none. Returns what was in use. */
struct curl_pool *curl_pool_use(struct curl_pool *pool);

/* Free what the pool has kept; it is not in use. */
void curl_pool_fini(struct curl_pool *pool);

#endif
