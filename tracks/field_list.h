/* Lists in JSON objects, with their bounds; see field.h. */
#ifndef PITWALL_TRACKS_FIELD_LIST_H
#define PITWALL_TRACKS_FIELD_LIST_H

#include <stddef.h>

#include "common/err.h"
#include "common/json.h"

/* list is one, of 1..max elements. ERR_INVALID. */
CHECKED enum err field_size(const struct jv *list, size_t max, struct why *why);

/* The same, and the elements are objects. ERR_INVALID. */
CHECKED enum err field_objects(const struct jv *list, size_t max,
                               struct why *why);

/* A list of 1..max objects, which object must have, into *v. ERR_INVALID. */
CHECKED enum err field_list(const struct jv *object, const char *key,
                            size_t max, const struct jv **v, struct why *why);

#endif
