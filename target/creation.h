/* What the body of a request that creates an index says: settings as far as
 * this server heeds them, the mapping, and everything else, which is kept to be
 * shown. */
#ifndef PITWALL_TARGET_CREATION_H
#define PITWALL_TARGET_CREATION_H

#include "common/json.h"

#define CREATION_SHARDS_MAX    64u
#define CREATION_REFRESH_NEVER UINT64_MAX
#define CREATION_REFRESH_NS    1000000000ull /* Elasticsearch's default */

struct creation {
    uint32_t shards;
    uint64_t refresh_ns;
    struct jv *body; /* the whole of it; NULL: none was given */
};

/* Parse it (len 0: no body). ERR_INVALID: no JSON, or a setting that is heeded
 * has no acceptable value. Owns: creation_free. */
CHECKED enum err creation_parse(struct creation *c, const char *text,
                                size_t len, uint32_t default_shards,
                                struct why *why);

/* Take the settings of a parsed body. */
CHECKED enum err creation_read(struct creation *c, const struct jv *body,
                               uint32_t default_shards, struct why *why);
void creation_free(struct creation *c);

/* A setting of a body, whether its name is dotted, nested, or without its
 * "index."; NULL: it is not there. */
const struct jv *creation_setting(const struct jv *body, const char *name);

/* "1s", "500ms", -1 or "-1". */
CHECKED enum err creation_interval(const struct jv *v, uint64_t *ns,
                                   struct why *why);

#endif
