/* The names of corpora: SHA-256 of what defines one, and of its bytes. */
#ifndef PITWALL_LOAD_CORPUS_H
#define PITWALL_LOAD_CORPUS_H

#include <stddef.h>

#include "common/err.h"

#define CORPUS_HEX_SIZE 65 /* 64 hexadecimal digits and the end */

struct corpus_hash;

/* Begin a hash. ERR_NOMEM. Owns: *out, for corpus_hash_free. */
CHECKED enum err corpus_hash_new(struct corpus_hash **out, struct why *why);
void corpus_hash_free(struct corpus_hash *hash);

/* Add bytes. */
void corpus_hash_add(struct corpus_hash *hash, const void *data, size_t len);

/* Write the name of all that was added; the hash takes no more. */
void corpus_hash_end(struct corpus_hash *hash, char hex[CORPUS_HEX_SIZE]);

#endif
