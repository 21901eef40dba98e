/* Members of JSON objects, read with their bounds: every refusal says file,
 * line, path, the value, and what would be accepted. Used for tracks and for
 * plans. */
#ifndef PITWALL_TRACKS_FIELD_H
#define PITWALL_TRACKS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/json.h"

/* ERR_INVALID "FILE:LINE: path: fmt...". */
enum err field_error(const struct jv *v, struct why *why, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The same about a key that object lacks. */
enum err field_missing(const struct jv *object, const char *key,
                       struct why *why);

/* Member key of object of this type into *v; NULL when it is absent or null.
 * Errors (of each below too)  ERR_INVALID: another type, out of bounds. */
CHECKED enum err field_find(const struct jv *object, const char *key,
                            enum jv_type type, const struct jv **v,
                            struct why *why);

/* As field_find, but the member must be there. */
CHECKED enum err field_need(const struct jv *object, const char *key,
                            enum jv_type type, const struct jv **v,
                            struct why *why);

/* As field_text below, but the member must be there. */
CHECKED enum err field_need_text(const struct jv *object, const char *key,
                                 size_t max, const char **out, struct why *why);

/* Optional members: *out keeps its value when absent. A text has 1..max bytes
 * without control characters and is valid as long as the document; a whole
 * number lies in min..max; seconds are a number in 0..max_ns, as ns. */
CHECKED enum err field_text(const struct jv *object, const char *key,
                            size_t max, const char **out, struct why *why);
CHECKED enum err field_whole(const struct jv *object, const char *key,
                             uint64_t min, uint64_t max, uint64_t *out,
                             struct why *why);
CHECKED enum err field_seconds(const struct jv *object, const char *key,
                               uint64_t max_ns, uint64_t *ns, struct why *why);
CHECKED enum err field_ratio(const struct jv *object, const char *key,
                             double *out, struct why *why); /* 0..1 */
CHECKED enum err field_bool(const struct jv *object, const char *key, bool *out,
                            struct why *why);

/* Refuse members of object that neither list names (NULL-terminated; more may
 * be NULL); those that begin with # are comments. ERR_INVALID. */
CHECKED enum err field_only(const struct jv *object, const char *const *keys,
                            const char *const *more, struct why *why);

/* A text made of letters, digits and the characters of extra. */
bool field_plain(const char *text, const char *extra);

#endif
