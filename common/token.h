/* A reader of msgpack, token by token, that trusts nothing: it makes no objects
 * and claims no memory, so that five hostile bytes cannot ask for gigabytes
 * (msgpack_unpack_next believes the counts that it reads). */
#ifndef PITWALL_COMMON_TOKEN_H
#define PITWALL_COMMON_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define TOKEN_LEVELS_MAX 8    /* containers inside one another */
#define TOKEN_NODES_MAX  4096 /* tokens of one input */

enum token_type {
    TOKEN_NIL,
    TOKEN_BOOL,
    TOKEN_UINT,
    TOKEN_INT, /* negative */
    TOKEN_FLOAT,
    TOKEN_STR,
    TOKEN_BIN,
    TOKEN_ARRAY,
    TOKEN_MAP
};

struct token {
    enum token_type type;
    uint64_t whole; /* UINT; BOOL: 0 or 1 */
    int64_t negative;
    double real; /* FLOAT: finite */
    const uint8_t
        *data; /* STR (common/text.h allows it), BIN: into the input */
    size_t len;
    size_t children; /* ARRAY: items; MAP: keys and values */
};

/* Where the reader stands. */
struct token_reader {
    const uint8_t *at, *end;
    size_t nodes; /* still allowed */
};

/* A reader at the first of len bytes, which must outlive it and its tokens. */
struct token_reader token_reader(const void *data, size_t len);

/* The next token. ERR_PROTOCOL: end of input, a length or count beyond it, an
 * extension type, NaN or infinity, a text that common/text.h refuses, more
 * than TOKEN_NODES_MAX nodes. */
CHECKED enum err token_next(struct token_reader *r, struct token *t,
                            struct why *why);

/* Pass over what t opened (nothing for a scalar), open containers being open
 * around it. Keys in there may be of any type and repeat. ERR_PROTOCOL: as
 * token_next, or more than TOKEN_LEVELS_MAX levels. */
CHECKED enum err token_skip(struct token_reader *r, const struct token *t,
                            unsigned open, struct why *why);

/* "a whole number", "a text"; for messages. */
const char *token_name(enum token_type type);

#endif
