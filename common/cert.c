#include "common/cert.h"

#include <mbedtls/oid.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cert_key.h"
#include "common/text.h"

static int64_t unix_of(const mbedtls_x509_time *t)
{
    struct tm tm = {.tm_year = t->year - 1900,
                    .tm_mon = t->mon - 1,
                    .tm_mday = t->day,
                    .tm_hour = t->hour,
                    .tm_min = t->min,
                    .tm_sec = t->sec};
    return (int64_t)timegm(&tm);
}

static void take_name(struct cert *out, const mbedtls_x509_buf *from)
{
    size_t n = from->len < CERT_NAME_MAX ? from->len : CERT_NAME_MAX;
    memcpy(out->name, from->p, n);
    out->name[n] = '\0';
    text_clean(out->name, strlen(out->name));
}

static void find_name(struct cert *out, const mbedtls_x509_crt *crt)
{
    const mbedtls_x509_sequence *alt = &crt->subject_alt_names;
    for (const mbedtls_x509_name *n = &crt->subject; n; n = n->next)
        if (!MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &n->oid))
            take_name(out, &n->val);
    for (; alt && alt->buf.p; alt = alt->next) {
        if ((alt->buf.tag & 0x1f) != MBEDTLS_X509_SAN_DNS_NAME)
            continue;
        take_name(out, &alt->buf);
        return;
    }
}

static bool may(const mbedtls_x509_crt *crt, const char *oid)
{
    return !mbedtls_x509_crt_check_extended_key_usage(crt, oid, strlen(oid));
}

#if MBEDTLS_VERSION_MAJOR < 3
#define AUTHORITY(crt) ((crt)->ca_istrue != 0)
#else
#define AUTHORITY(crt) (mbedtls_x509_crt_get_ca_istrue(crt) == 1)
#endif

void cert_of(struct cert *out, const mbedtls_x509_crt *crt)
{
    *out = (struct cert){.agent = may(crt, MBEDTLS_OID_SERVER_AUTH),
                         .controller = may(crt, MBEDTLS_OID_CLIENT_AUTH),
                         .authority = AUTHORITY(crt),
                         .from_s = unix_of(&crt->valid_from),
                         .until_s = unix_of(&crt->valid_to)};
    find_name(out, crt);
}

static enum err parse(mbedtls_x509_crt *crt, const char *pem, struct why *why)
{
    int rv = mbedtls_x509_crt_parse(crt, (const unsigned char *)pem,
                                    strlen(pem) + 1);
    if (rv > 0)
        return err_set(why, ERR_INVALID,
                       "%d of its certificates cannot be read", rv);
    return rv ? cert_key_err(why, ERR_INVALID, rv, "not a certificate in PEM")
              : ERR_OK;
}

enum err cert_read(struct cert *out, const char *pem, struct why *why)
{
    mbedtls_x509_crt crt;
    *out = (struct cert){.name = ""};
    mbedtls_x509_crt_init(&crt);
    enum err e = parse(&crt, pem, why);
    if (!e)
        cert_of(out, &crt);
    mbedtls_x509_crt_free(&crt);
    return e;
}

static int check_pair(const mbedtls_pk_context *of_cert,
                      const mbedtls_pk_context *key)
{
#if MBEDTLS_VERSION_MAJOR < 3
    return mbedtls_pk_check_pair(of_cert, key);
#else
    return mbedtls_pk_check_pair(of_cert, key, cert_key_random, NULL);
#endif
}

enum err cert_owns(const char *pem, const char *key, struct why *why)
{
    mbedtls_x509_crt crt;
    mbedtls_pk_context own;
    mbedtls_x509_crt_init(&crt);
    mbedtls_pk_init(&own);
    enum err e = parse(&crt, pem, why);
    if (!e)
        e = cert_key_read(&own, key, why);
    if (!e && check_pair(&crt.pk, &own))
        e = err_set(why, ERR_INVALID, "the key is not that of the certificate");
    mbedtls_pk_free(&own);
    mbedtls_x509_crt_free(&crt);
    return e;
}

const char *cert_show_time(char *buf, size_t size, int64_t unix_s)
{
    time_t t = (time_t)unix_s;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%MZ", &tm))
        (void)snprintf(buf, size, "?");
    return buf;
}

const char *cert_show_fault(const struct cert *cert, int64_t now_s, char *buf,
                            size_t size)
{
    char when[24];
    buf[0] = '\0';
    if (now_s > cert->until_s)
        (void)snprintf(buf, size, "expired %s",
                       cert_show_time(when, sizeof when, cert->until_s));
    else if (now_s < cert->from_s)
        (void)snprintf(buf, size, "not valid before %s",
                       cert_show_time(when, sizeof when, cert->from_s));
    return buf;
}
