/* The fields of an index, as its mapping names them or as documents bring
 * them, each with a number that its terms begin with in the full-text index.
 * Numbers are given once and never change; the list lies in a file beside the
 * shards, so that they survive. Fields are only added. */
#ifndef PITWALL_TARGET_FIELDS_H
#define PITWALL_TARGET_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/json.h"

#define FIELDS_MAX        1000u /* as index.mapping.total_fields.limit */
#define FIELDS_PATH_BYTES 256u  /* with its dots, and the NUL */

enum field_kind {
    FIELD_NONE, /* not searchable */
    FIELD_TEXT, /* cut into lower-case words */
    FIELD_EXACT /* one term, as it stands */
};

/* Of fields that documents bring and the mapping does not name. */
enum fields_dynamic { FIELDS_ADD, FIELDS_IGNORE, FIELDS_STRICT };

struct field {
    uint16_t number;
    enum field_kind kind;
    const struct field *sub; /* the same values once more (name.raw); NULL */
    size_t len;
    char path[FIELDS_PATH_BYTES];
};

struct fields;

/* Make the fields of a mapping ({"properties": {...}}, or with a type around
 * it; NULL: none) in a new file. ERR_INVALID: the mapping; ERR_RANGE: more than
 * FIELDS_MAX; ERR_IO, ERR_NOSPACE. Owns: fields_free (NULL is fine). */
CHECKED enum err fields_create(struct fields **out, const char *path,
                               const struct jv *mapping, struct why *why);

/* Read them back. ERR_CORRUPT: not a file of fields. */
CHECKED enum err fields_open(struct fields **out, const char *path,
                             struct why *why);
void fields_free(struct fields *f);

/* The field of a dotted path; NULL: there is none. Valid until fields_free.
 * Thread: any, without waiting. */
const struct field *fields_find(const struct fields *f, const char *path,
                                size_t len);

/* Add it, or find that somebody did. ERR_RANGE: FIELDS_MAX are there, or the
 * path is too long; ERR_IO, ERR_NOSPACE, ERR_NOMEM. Thread: any. */
CHECKED enum err fields_add(struct fields *f, const char *path, size_t len,
                            enum field_kind kind, const struct field **out,
                            struct why *why);

/* What to do with unknown ones. */
enum fields_dynamic fields_dynamic(const struct fields *f);

/* Add those of a mapping, as in fields_create; those that are there stay.
 * ERR_INVALID: the mapping, or a field that is there as another kind. */
CHECKED enum err fields_map(struct fields *f, const struct jv *mapping,
                            struct why *why);

/* Make those that were added durable. */
CHECKED enum err fields_sync(struct fields *f, struct why *why);

#endif
