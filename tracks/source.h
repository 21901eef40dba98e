/* A file of a track: read, its placeholders put in, parsed. */
#ifndef PITWALL_TRACKS_SOURCE_H
#define PITWALL_TRACKS_SOURCE_H

#include "common/json.h"
#include "tracks/expand.h"

/* Parse the JSON file at path, of at most max bytes, with expand's params.
 * Errors  ERR_NOTFOUND, ERR_PERMISSION, ERR_RANGE, ERR_INVALID; the text names
 *         the file. Owns: *out, for jv_free. */
CHECKED enum err source_parse(struct expand *expand, const char *path,
                              size_t max, struct jv **out, struct why *why);

#endif
