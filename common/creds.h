/* The credentials of one end of the control plane: whom it trusts (an
 * authority's certificate), its own certificate and its key. */
#ifndef PITWALL_COMMON_CREDS_H
#define PITWALL_COMMON_CREDS_H

#include <stdbool.h>

#include "common/cert.h"
#include "common/tls_files.h"

#define CREDS_FILE_MAX 65536u

struct creds {
    char *ca, *cert, *key; /* PEM */
    struct cert own;       /* what cert says */
};

/* Read the files, at most CREDS_FILE_MAX bytes each, and check that they are
 * what they are for: an authority, a certificate for this role (agent or
 * controller), its key. The text names the file. Not checked: time and
 * signature, which are the peer's to judge.
 * Errors  ERR_PERMISSION: others may open the key; ERR_INVALID; errno's.
 * Owns    *out is the caller's, for creds_free; empty on failure. */
CHECKED enum err creds_load(struct creds *out, const struct tls_files *files,
                            bool agent, struct why *why);

/* The same from open descriptors, in the order of struct tls_files, which
 * stay the caller's. */
CHECKED enum err creds_read(struct creds *out, const int fds[3], bool agent,
                            struct why *why);

/* Overwrite the key and free all. */
void creds_free(struct creds *creds);

#endif
