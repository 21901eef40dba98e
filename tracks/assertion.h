/* Assertions of an operation about its answers. Rally looks at them when it is
 * told to (--enable-assertions); here, as there without it, they are only
 * checked for what they must be. */
#ifndef PITWALL_TRACKS_ASSERTION_H
#define PITWALL_TRACKS_ASSERTION_H

#include "common/json.h"

/* Check op's "assertions", if it has any. ERR_INVALID. */
CHECKED enum err assertions_check(const struct jv *op, struct why *why);

#endif
