/* The operator's credentials for tls+tcp, from --tls or the lab file. */
#ifndef PITWALL_CONTROLLER_TRUST_H
#define PITWALL_CONTROLLER_TRUST_H

#include "common/creds.h"

struct trust {
    struct creds creds; /* empty when none were given */
};

/* Load what folder (--tls; NULL: not given) names, else file (of a lab file;
 * NULL, or empty: none). Errors as creds_load. */
CHECKED enum err trust_load(struct trust *out, const char *folder,
                            const struct tls_files *file, struct why *why);

/* The credentials, NULL when none were given. */
const struct creds *trust_creds(const struct trust *trust);

/* Forget them. */
void trust_free(struct trust *trust);

#endif
