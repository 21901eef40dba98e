/* What a certificate says (X.509, PEM), and whether a key is its own: the
 * reader for both ends of the control plane. With cert_key.h and handshake.c
 * the owner of mbedTLS in common. */
#ifndef PITWALL_COMMON_CERT_H
#define PITWALL_COMMON_CERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CERT_NAME_MAX 64u /* of an agent: what a subject's CN may have */

struct cert {
    char name[CERT_NAME_MAX + 1]; /* the first DNS name, else the CN */
    bool agent;                   /* may serve, by its extended key usage */
    bool controller;              /* may be a client, by the same */
    bool authority;               /* may sign others */
    int64_t from_s, until_s;      /* Unix time; the last second counts */
};

struct mbedtls_x509_crt;

/* Read the first certificate of a PEM text; later ones may be its issuers.
 * ERR_INVALID: none, or one that cannot be read. */
CHECKED enum err cert_read(struct cert *out, const char *pem, struct why *why);

/* The same of one that the library has read. */
void cert_of(struct cert *out, const struct mbedtls_x509_crt *crt);

/* ERR_INVALID unless key (PEM, without a passphrase) belongs to the first
 * certificate of pem. */
CHECKED enum err cert_owns(const char *pem, const char *key, struct why *why);

/* "2027-03-01 10:05Z" into buf (returned); 24 bytes are enough. */
const char *cert_show_time(char *buf, size_t size, int64_t unix_s);

/* What is wrong with its time at now_s: "expired 2027-03-01 10:05Z" or "not
 * valid before ...", into buf (returned); "" when nothing is. */
const char *cert_show_fault(const struct cert *cert, int64_t now_s, char *buf,
                            size_t size);

#endif
