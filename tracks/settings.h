/* Settings of an operation put over those of an index or template. */
#ifndef PITWALL_TRACKS_SETTINGS_H
#define PITWALL_TRACKS_SETTINGS_H

#include "common/json.h"

/* body (NULL: an empty one) with settings (NULL: none) over the members of its
 * "settings", or of the "settings" of its member inner, as a new document for
 * jv_free. Members of settings replace those of the same name, as in Rally. */
struct jv *settings_merge(const struct jv *body, const char *inner,
                          const struct jv *settings);

#endif
