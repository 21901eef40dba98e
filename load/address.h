/* Where the load goes: an http:// or https:// URL, resolved once before the
 * clock starts. */
#ifndef PITWALL_LOAD_ADDRESS_H
#define PITWALL_LOAD_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "common/err.h"

#define ADDRESS_HOST_MAX 255
#define ADDRESS_PATH_MAX 4096

struct address {
    struct sockaddr_storage sockaddr;
    socklen_t len;                   /* 0: not resolved */
    bool tls;                        /* https */
    char name[ADDRESS_HOST_MAX + 1]; /* no port, no brackets */
    char port[6];
    char host[ADDRESS_HOST_MAX + 16]; /* as the Host header has it */
    char text[80];                    /* "127.0.0.1:9200", for complaints */
    char path[ADDRESS_PATH_MAX + 1];  /* with its query, "/" when none */
};

/* Take "http[s]://host[:port][/path][?query]" apart and, if resolve, find its
 * host's address (else a proxy does). text is then "host:port".
 * Errors  ERR_USAGE: no such URL (says what would be accepted);
 *         ERR_NOTFOUND: the host has no address. */
CHECKED enum err address_parse(struct address *out, const char *url,
                               bool resolve, struct why *why);

#endif
