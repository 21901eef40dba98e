#include "controller/ca.h"

#include <ctype.h>
#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cert.h"
#include "common/cert_key.h"

#define SERIAL_BYTES 16
#define STAMP_SIZE   16 /* "20261201102000" */
#define NO_PATH      (-1)

enum err ca_name(const char *name, struct why *why)
{
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) ||
           (n && name[n] && strchr("-_.", name[n])))
        n++;
    if (n > 0 && n <= CERT_NAME_MAX && !name[n])
        return ERR_OK;
    return err_set(why, ERR_USAGE,
                   "name \"%.80s\"; accepted: 1 to %u letters, digits, '-', "
                   "'_' and '.', beginning with a letter or digit",
                   name, CERT_NAME_MAX);
}

/* Everything of one certificate under way. */
struct work {
    mbedtls_x509write_cert out;
    mbedtls_pk_context key, signer;
    char subject[CERT_NAME_MAX + 8], issuer[CERT_NAME_MAX + 8];
    char from[STAMP_SIZE], until[STAMP_SIZE];
};

static void stamp(char out[STAMP_SIZE], int64_t unix_s)
{
    time_t t = (time_t)unix_s;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || !strftime(out, STAMP_SIZE, "%Y%m%d%H%M%S", &tm))
        out[0] = '\0';
}

static int make_key(mbedtls_pk_context *key)
{
    int rv = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    return rv ? rv
              : mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1,
                                    mbedtls_pk_ec(*key), cert_key_random, NULL);
}

static int set_serial(struct work *w)
{
    unsigned char bytes[SERIAL_BYTES];
    int rv = cert_key_random(NULL, bytes, sizeof bytes);
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40); /* positive, whole */
    if (rv)
        return rv;
#if MBEDTLS_VERSION_MAJOR < 3
    mbedtls_mpi serial;
    mbedtls_mpi_init(&serial);
    rv = mbedtls_mpi_read_binary(&serial, bytes, sizeof bytes);
    if (!rv)
        rv = mbedtls_x509write_crt_set_serial(&w->out, &serial);
    mbedtls_mpi_free(&serial);
    return rv;
#else
    return mbedtls_x509write_crt_set_serial_raw(&w->out, bytes, sizeof bytes);
#endif
}

/* mbedTLS 2.28 writes neither of these two itself; both are DER: tag, length,
 * content, all shorter than 128 bytes. */
static int set_extended_use(struct work *w, enum ca_role role)
{
    const char *use =
        role == CA_AGENT ? MBEDTLS_OID_SERVER_AUTH : MBEDTLS_OID_CLIENT_AUTH;
    size_t n = strlen(use);
    unsigned char der[32] = {0x30, (unsigned char)(n + 2), 0x06,
                             (unsigned char)n};
    memcpy(der + 4, use, n);
    return mbedtls_x509write_crt_set_extension(
        &w->out, MBEDTLS_OID_EXTENDED_KEY_USAGE,
        MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 1, der, n + 4);
}

static int set_dns_name(struct work *w, const char *name)
{
    size_t n = strlen(name);
    unsigned char der[CERT_NAME_MAX + 4] = {0x30, (unsigned char)(n + 2), 0x82,
                                            (unsigned char)n};
    memcpy(der + 4, name, n);
    return mbedtls_x509write_crt_set_extension(
        &w->out, MBEDTLS_OID_SUBJECT_ALT_NAME,
        MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0, der, n + 4);
}

static int set_uses(struct work *w, const struct ca_wish *wish)
{
    mbedtls_x509write_cert *c = &w->out;
    unsigned use = wish->authority ? MBEDTLS_X509_KU_KEY_CERT_SIGN |
                                         MBEDTLS_X509_KU_CRL_SIGN
                                   : MBEDTLS_X509_KU_DIGITAL_SIGNATURE;
    int rv = mbedtls_x509write_crt_set_basic_constraints(
        c, wish->authority, wish->authority ? 0 : NO_PATH);
    if (!rv)
        rv = mbedtls_x509write_crt_set_key_usage(c, use);
    if (!rv)
        rv = set_extended_use(w, wish->role);
    if (!rv && !wish->authority)
        rv = set_dns_name(w, wish->name);
    if (!rv)
        rv = mbedtls_x509write_crt_set_subject_key_identifier(c);
    return rv ? rv : mbedtls_x509write_crt_set_authority_key_identifier(c);
}

/* Whose signature it will bear, and until when that can be. */
static enum err take_issuer(struct work *w, const struct ca_wish *wish,
                            const struct ca_pair *issuer, int64_t *until_s,
                            struct why *why)
{
    struct cert ca;
    *until_s = wish->until_s;
    if (!issuer) {
        memcpy(w->issuer, w->subject, sizeof w->issuer);
        return ERR_OK;
    }
    enum err e = cert_read(&ca, issuer->cert, why);
    if (!e)
        e = cert_owns(issuer->cert, issuer->key, why);
    if (!e && !ca.authority)
        e = err_set(why, ERR_INVALID, "\"%s\" is no authority", ca.name);
    if (!e && ca.until_s <= wish->from_s)
        e = err_set(why, ERR_INVALID, "authority \"%s\" has expired", ca.name);
    if (!e)
        e = cert_key_read(&w->signer, issuer->key, why);
    if (ca.until_s < *until_s)
        *until_s = ca.until_s;
    (void)snprintf(w->issuer, sizeof w->issuer, "CN=%s", ca.name);
    return e;
}

static int fill(struct work *w, const struct ca_wish *wish, bool self)
{
    mbedtls_x509write_cert *c = &w->out;
    mbedtls_x509write_crt_set_version(c, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(c, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(c, &w->key);
    mbedtls_x509write_crt_set_issuer_key(c, self ? &w->key : &w->signer);
    int rv = mbedtls_x509write_crt_set_subject_name(c, w->subject);
    if (!rv)
        rv = mbedtls_x509write_crt_set_issuer_name(c, w->issuer);
    if (!rv)
        rv = mbedtls_x509write_crt_set_validity(c, w->from, w->until);
    if (!rv)
        rv = set_serial(w);
    return rv ? rv : set_uses(w, wish);
}

static enum err make(struct work *w, struct ca_pair *out,
                     const struct ca_wish *wish, const struct ca_pair *issuer,
                     struct why *why)
{
    int64_t until_s;
    (void)snprintf(w->subject, sizeof w->subject, "CN=%s", wish->name);
    enum err e = take_issuer(w, wish, issuer, &until_s, why);
    if (e)
        return e;
    stamp(w->from, wish->from_s);
    stamp(w->until, until_s);
    int rv = make_key(&w->key);
    if (!rv)
        rv = fill(w, wish, !issuer);
    if (!rv)
        rv = mbedtls_x509write_crt_pem(&w->out, (unsigned char *)out->cert,
                                       sizeof out->cert, cert_key_random, NULL);
    if (!rv)
        rv = mbedtls_pk_write_key_pem(&w->key, (unsigned char *)out->key,
                                      sizeof out->key);
    return rv ? cert_key_err(why, ERR_INTERNAL, rv, wish->name) : ERR_OK;
}

enum err ca_make(struct ca_pair *out, const struct ca_wish *wish,
                 const struct ca_pair *issuer, struct why *why)
{
    struct work w = {.subject = ""};
    *out = (struct ca_pair){.cert = ""};
    enum err e = ca_name(wish->name, why);
    if (e)
        return e;
    mbedtls_x509write_crt_init(&w.out);
    mbedtls_pk_init(&w.key);
    mbedtls_pk_init(&w.signer);
    e = make(&w, out, wish, issuer, why);
    mbedtls_x509write_crt_free(&w.out);
    mbedtls_pk_free(&w.key);
    mbedtls_pk_free(&w.signer);
    return e;
}
