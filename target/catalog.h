/* The names of the indices that exist: made by PUT or by the first bulk into
 * them, dropped by DELETE. */
#ifndef PITWALL_TARGET_CATALOG_H
#define PITWALL_TARGET_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define CATALOG_MAX 1000u /* indices, as cluster.max_shards_per_node */

struct catalog;

/* An empty catalog. NULL: no memory. Thread: the functions below lock. */
struct catalog *catalog_new(void);
void catalog_free(struct catalog *c);

/* Add name[len]. ERR_EXISTS; ERR_NOSPACE: CATALOG_MAX are there. */
CHECKED enum err catalog_add(struct catalog *c, const char *name, size_t len);

/* Remove it. ERR_NOTFOUND. */
CHECKED enum err catalog_remove(struct catalog *c, const char *name);

/* Whether it exists. */
bool catalog_has(struct catalog *c, const char *name);

/* How many exist. */
size_t catalog_size(struct catalog *c);

#endif
