/* The options of pitwall-load that say how a request is made and sent. */
#ifndef PITWALL_LOAD_OPTIONS_HTTP_H
#define PITWALL_LOAD_OPTIONS_HTTP_H

#include "load/options.h"

/* Keys without a letter, apart from those of options.c. */
enum options_http_key { KEY_ENGINE = 512, KEY_CACERT, KEY_HTTP2, KEY_PROXY };

/* Take the option key, if it is one of these, into o; arg is borrowed for o's
 * life, but a password in it is wiped, since others can read command lines.
 * Errors  *e is ERR_USAGE: which option, its value, what is accepted. */
bool options_http_set(struct options *o, int key, char *arg, enum err *e,
                      struct why *why);

#endif
