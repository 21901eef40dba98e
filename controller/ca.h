/* Making certificates: authorities, and those that they sign. Times and names
 * come as values; the files are ca_folder.c's. */
#ifndef PITWALL_CONTROLLER_CA_H
#define PITWALL_CONTROLLER_CA_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define CA_PEM_MAX 4096u

enum ca_role { CA_AGENT, CA_CONTROLLER };

/* A certificate and its key as PEM texts. */
struct ca_pair {
    char cert[CA_PEM_MAX], key[CA_PEM_MAX];
};

struct ca_wish {
    const char *name; /* becomes CN and, for no authority, DNS name */
    bool authority;
    enum ca_role role;       /* of whom it is or, an authority, signs */
    int64_t from_s, until_s; /* Unix time, 1950 to 9999 */
};

/* Check a name that certificates, lab files and folders may have: 1 to 64
 * letters, digits, '-', '_' and '.', beginning with a letter or digit.
 * ERR_USAGE names it and what is accepted. */
CHECKED enum err ca_name(const char *name, struct why *why);

/* A new key (P-256) and its certificate, signed by issuer, or by itself when
 * that is NULL. An issuer's last day is not outlived: until_s is cut to it. The
 * extended key usage is the role's alone: serverAuth for agents, clientAuth for
 * controllers. Draws on the kernel's random bytes. ERR_INVALID: the issuer
 * cannot be read, is no authority, or has expired by from_s. */
CHECKED enum err ca_make(struct ca_pair *out, const struct ca_wish *wish,
                         const struct ca_pair *issuer, struct why *why);

#endif
