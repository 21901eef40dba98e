/* Templates of indices to be: Elasticsearch's old ones (_template), composable
 * ones (_index_template) and their parts (_component_template). Kept in memory;
 * an index that is made has what the matching ones say beneath what its own
 * request says. */
#ifndef PITWALL_TARGET_TEMPLATES_H
#define PITWALL_TARGET_TEMPLATES_H

#include <stdio.h>

#include "target/creation.h"

#define TEMPLATES_MAX 200u

enum template_kind { TEMPLATE_OLD, TEMPLATE_INDEX, TEMPLATE_COMPONENT };

struct templates;

/* None. NULL: no memory. Thread: the functions below lock. */
struct templates *templates_new(void);
void templates_free(struct templates *t);

/* Keep one, in place of one of its name. ERR_INVALID: the body, naming what is
 * accepted; ERR_RANGE: TEMPLATES_MAX are there; ERR_NOMEM. */
CHECKED enum err templates_put(struct templates *t, enum template_kind kind,
                               const char *name, const char *text, size_t len,
                               struct why *why);

/* Write those whose names match ("": all, * stands for anything) as
 * Elasticsearch does; false: there is none, and nothing was written. */
bool templates_show(struct templates *t, enum template_kind kind,
                    const char *name, FILE *out);

/* Forget those whose names match; false: there is none. */
bool templates_drop(struct templates *t, enum template_kind kind,
                    const char *name);

/* Put what matches the index's name beneath c, which its request made: of the
 * composable ones the one with the highest priority, else the old ones by their
 * order. ERR_INVALID: a setting that is heeded has no acceptable value. */
CHECKED enum err templates_apply(struct templates *t, const char *index,
                                 struct creation *c, uint32_t default_shards,
                                 struct why *why);

/* Whether text is what pattern says, in which * stands for anything. */
bool templates_match(const char *pattern, const char *text);

/* *all, of an index's creation, with settings, mappings and aliases of over on
 * top. */
void templates_lay(struct jv **all, const struct jv *over);

#endif
