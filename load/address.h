/* Where the load goes: an http:// URL, resolved once before the clock starts.
 */
#ifndef PITWALL_LOAD_ADDRESS_H
#define PITWALL_LOAD_ADDRESS_H

#include <sys/socket.h>

#include "common/err.h"

#define ADDRESS_HOST_MAX 255
#define ADDRESS_PATH_MAX 4096

struct address {
    struct sockaddr_storage sockaddr;
    socklen_t len;
    char host[ADDRESS_HOST_MAX + 16]; /* as the Host header has it */
    char text[80];                    /* "127.0.0.1:9200", for complaints */
    char path[ADDRESS_PATH_MAX + 1];  /* with its query, "/" when none */
};

/* Take "http://host[:port][/path][?query]" apart and resolve its host.
 * Errors  ERR_USAGE: no such URL, and https:// (says what would be accepted);
 *         ERR_NOTFOUND: the host has no address. */
CHECKED enum err address_parse(struct address *out, const char *url,
                               struct why *why);

#endif
