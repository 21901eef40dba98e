/* Building and printing JSON documents: reports, plans. */
#ifndef PITWALL_COMMON_JSON_BUILD_H
#define PITWALL_COMMON_JSON_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/json.h"

/* Building. Each creates a value inside its parent (key for objects, NULL for
 * arrays), replacing a member of the same key; the root is made by jv_new and
 * freed by jv_free. A NULL text is null. Without memory they abort the process
 * (controller and load only). */
struct jv *jv_new(enum jv_type type); /* JV_OBJECT or JV_ARRAY */
struct jv *jv_add(struct jv *parent, const char *key, enum jv_type type);
void jv_add_text(struct jv *parent, const char *key, const char *text);
void jv_add_u64(struct jv *parent, const char *key, uint64_t value);
void jv_add_i64(struct jv *parent, const char *key, int64_t value);
void jv_add_number(struct jv *parent, const char *key, double value);
void jv_add_bool(struct jv *parent, const char *key, bool value);
void jv_add_copy(struct jv *parent, const char *key, const struct jv *value);

/* Print to a malloc'ed text (the caller's to free), pretty or in one line.
 * Reals with the digits that read back as the same double, NaN and infinity as
 * null; texts that are not UTF-8 with ? for their bytes above 127. */
char *jv_print(const struct jv *v, bool pretty);

#endif
