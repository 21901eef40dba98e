/* JSON documents: the sole owner of <jansson.h>. Reading is bounded in size and
 * depth and every complaint names file, line and path (json_place.h); building
 * and printing is in json_build.h. Names begin with jv_ ("JSON value"), since
 * json_ is jansson's.
 *
 * Values belong to the document they were read from or built into: a
 * `const struct jv *` is valid until jv_free of its root. */
#ifndef PITWALL_COMMON_JSON_H
#define PITWALL_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct jv; /* a value; the root owns all */

#define JV_DEPTH_MAX 64

enum jv_type { JV_NULL, JV_BOOL, JV_NUMBER, JV_STRING, JV_ARRAY, JV_OBJECT };

/* Parse text (len bytes; name heads the errors, "FILE:LINE: what"). Duplicate
 * keys, trailing text, more than JV_DEPTH_MAX levels, \u0000, numbers beyond a
 * double's range: ERR_INVALID. A UTF-8 byte order mark at the start is skipped;
 * lines end with \n or \r\n. The root may be a value of any type. */
CHECKED enum err jv_parse(struct jv **out, const char *name, const char *text,
                          size_t len, struct why *why);

/* Parse a regular file of at most max bytes. ERR_NOTFOUND, ERR_PERMISSION,
 * ERR_RANGE (too large), ERR_INVALID; the text names the file. */
CHECKED enum err jv_load(struct jv **out, const char *path, size_t max,
                         struct why *why);
void jv_free(struct jv *root);

/* Reading; v, object and array may be NULL and then act as JSON's null. jv_get:
 * member or NULL; jv_at: element (i < jv_size) or NULL; jv_member walks an
 * object's members in order of the text. */
enum jv_type jv_type(const struct jv *v);
size_t jv_size(const struct jv *v); /* of arrays and objects, else 0 */
const struct jv *jv_get(const struct jv *object, const char *key);
const struct jv *jv_at(const struct jv *array, size_t i);
const struct jv *jv_member(const struct jv *object, size_t i, const char **key);

/* The value as text, number, bool; the default where it is of another type.
 * jv_number is exact for whole numbers up to 2^53; jv_u64 for all up to 2^64-1
 * (written as 5, or as 5.0 up to 2^53), the default for any other number. */
const char *jv_text(const struct jv *v, const char *otherwise);
double jv_number(const struct jv *v, double otherwise);
uint64_t jv_u64(const struct jv *v, uint64_t otherwise);
bool jv_bool(const struct jv *v, bool otherwise);

#endif
