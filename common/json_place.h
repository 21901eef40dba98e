/* Where a value of a JSON document stands, for complaints about it. */
#ifndef PITWALL_COMMON_JSON_PLACE_H
#define PITWALL_COMMON_JSON_PLACE_H

#include <stddef.h>

#include "common/json.h"

/* Where v stands: "FILE:LINE: path.to[2].field", into buf (returned), cut to
 * size; the root is "FILE:LINE", a member with other characters than letters,
 * digits, _ and - is ["a.b"], and a built document is "-:0". */
const char *jv_where(const struct jv *v, char *buf, size_t size);

/* Refuse members of object that are not in allowed (NULL-terminated):
 * ERR_INVALID "FILE:LINE: path: unknown key "x"; accepted: ...". Also refuses
 * a value that is no object. */
CHECKED enum err jv_only(const struct jv *object, const char *const *allowed,
                         struct why *why);

#endif
