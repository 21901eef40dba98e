#include "common/handshake.h"

#include <errno.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/cert_key.h"
#include "common/clock.h"
#include "common/greeting.h"

struct work {
    int fd;
    uint64_t due_ns;
    const struct creds *creds;
    const char *name;
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    mbedtls_x509_crt ca, own;
    mbedtls_pk_context key;
    struct cert peer;
    uint32_t flags; /* what is wrong with the peer's certificate */
    bool seen;      /* it has shown one */
};

static int send_some(void *arg, const unsigned char *data, size_t len)
{
    const struct work *w = arg;
    ssize_t n = send(w->fd, data, len, MSG_NOSIGNAL);
    if (n >= 0)
        return (int)n;
    return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE
                                             : MBEDTLS_ERR_NET_SEND_FAILED;
}

static int receive_some(void *arg, unsigned char *data, size_t len)
{
    const struct work *w = arg;
    ssize_t n = recv(w->fd, data, len, 0);
    if (n >= 0)
        return (int)n;
    return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ
                                             : MBEDTLS_ERR_NET_CONN_RESET;
}

/* Keep what the certificate at the end of the chain says; the library decides.
 */
static int note_peer(void *arg, mbedtls_x509_crt *crt, int depth,
                     uint32_t *flags)
{
    struct work *w = arg;
    w->flags |= *flags;
    if (depth == 0) {
        cert_of(&w->peer, crt);
        w->seen = true;
    }
    return 0;
}

static int read_papers(struct work *w)
{
    const struct creds *c = w->creds;
    int rv = mbedtls_x509_crt_parse(&w->ca, (const unsigned char *)c->ca,
                                    strlen(c->ca) + 1);
    if (!rv)
        rv = mbedtls_x509_crt_parse(&w->own, (const unsigned char *)c->cert,
                                    strlen(c->cert) + 1);
    if (!rv && cert_key_read(&w->key, c->key, NULL))
        rv = MBEDTLS_ERR_SSL_PRIVATE_KEY_REQUIRED;
    return rv;
}

/* As NNG speaks it; in 1.3 our certificate would be judged after the end of our
 * handshake, and the reason missed. */
static void speak_1_2(mbedtls_ssl_config *c)
{
#if MBEDTLS_VERSION_MAJOR < 3
    mbedtls_ssl_conf_min_version(c, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_max_version(c, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
#else
    mbedtls_ssl_conf_min_tls_version(c, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_max_tls_version(c, MBEDTLS_SSL_VERSION_TLS1_2);
#endif
}

static int set_up(struct work *w)
{
    mbedtls_ssl_config *c = &w->config;
    int rv = read_papers(w);
    if (!rv)
        rv = mbedtls_ssl_config_defaults(c, MBEDTLS_SSL_IS_CLIENT,
                                         MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT);
    if (rv)
        return rv;
    speak_1_2(c);
    mbedtls_ssl_conf_authmode(c, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(c, &w->ca, NULL);
    mbedtls_ssl_conf_rng(c, cert_key_random, NULL);
    mbedtls_ssl_conf_verify(c, note_peer, w);
    rv = mbedtls_ssl_conf_own_cert(c, &w->own, &w->key);
    if (!rv)
        rv = mbedtls_ssl_setup(&w->ssl, c);
    if (!rv)
        rv = mbedtls_ssl_set_hostname(&w->ssl, w->name);
    mbedtls_ssl_set_bio(&w->ssl, w, send_some, receive_some, NULL);
    return rv;
}

/* Wait for what rv wants; false: the time has passed. */
static bool wait_for(const struct work *w, int rv)
{
    struct pollfd p = {.fd = w->fd,
                       .events =
                           rv == MBEDTLS_ERR_SSL_WANT_WRITE ? POLLOUT : POLLIN};
    uint64_t now_ns = clock_mono_ns();
    return poll(&p, 1, clock_poll_ms(now_ns, w->due_ns)) > 0 ||
           now_ns < w->due_ns;
}

static bool wants(int rv)
{
    return rv == MBEDTLS_ERR_SSL_WANT_READ || rv == MBEDTLS_ERR_SSL_WANT_WRITE;
}

static enum err too_late(struct why *why)
{
    return err_set(why, ERR_TIMEOUT, "takes connections, but does not answer");
}

/* Why we do not take its certificate. */
static enum err refuse_peer(const struct work *w, struct why *why)
{
    const struct cert *peer = &w->peer;
    char fault[64];
    int64_t now_s = (int64_t)time(NULL);
    enum err e = ERR_PERMISSION;
    if (w->flags & (MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE))
        return err_set(why, e, "its certificate (of \"%s\"): %s", peer->name,
                       *cert_show_fault(peer, now_s, fault, sizeof fault)
                           ? fault
                           : "its authority has expired");
    if (w->flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
        return err_set(why, e,
                       "its certificate (of \"%s\") was not signed by the "
                       "authority that we trust",
                       peer->name);
    if (!peer->agent)
        return err_set(why, e, "its certificate (of \"%s\") is not an agent's",
                       peer->name);
    if (w->flags & MBEDTLS_X509_BADCERT_CN_MISMATCH)
        return err_set(why, e, "its certificate is of \"%s\", not of \"%s\"",
                       peer->name, w->name);
    return err_set(why, e, "its certificate (of \"%s\") is not acceptable",
                   peer->name);
}

/* It ended the handshake after it was shown ours. */
static enum err refused_by_peer(const struct work *w, struct why *why)
{
    const struct cert *own = &w->creds->own;
    char fault[64];
    (void)cert_show_fault(own, (int64_t)time(NULL), fault, sizeof fault);
    return err_set(why, ERR_PERMISSION,
                   "it does not accept our certificate (of \"%s\"%s%s)",
                   own->name, fault[0] ? ": " : "", fault);
}

static enum err failed(const struct work *w, int rv, struct why *why)
{
    if (rv == MBEDTLS_ERR_SSL_ALLOC_FAILED)
        return err_set(why, ERR_NOMEM, "handshake: out of memory");
    if (w->seen && (w->flags || rv == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED))
        return refuse_peer(w, why);
    if (w->seen && !w->peer.agent)
        return refuse_peer(w, why);
    if (w->seen)
        return refused_by_peer(w, why);
    /* What mbedTLS's servers do that have a certificate for other uses. */
    if (rv == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
        return err_set(why, ERR_PROTOCOL,
                       "speaks TLS, but has no certificate for an agent");
    return err_set(why, ERR_PROTOCOL,
                   "takes connections, but does not speak TLS");
}

static enum err shake(struct work *w, struct why *why)
{
    int rv;
    while (wants(rv = mbedtls_ssl_handshake(&w->ssl)))
        if (!wait_for(w, rv))
            return too_late(why);
    return rv ? failed(w, rv, why) : ERR_OK;
}

static enum err greet(struct work *w, struct why *why)
{
    unsigned char theirs[GREETING_BYTES];
    size_t sent = 0, len = 0;
    int rv = 1;
    while (len < sizeof theirs && (rv > 0 || wants(rv))) {
        if (wants(rv) && !wait_for(w, rv))
            return too_late(why);
        bool sends = sent < GREETING_BYTES;
        rv = sends
                 ? mbedtls_ssl_write(&w->ssl,
                                     (const unsigned char *)GREETING_REQ + sent,
                                     GREETING_BYTES - sent)
                 : mbedtls_ssl_read(&w->ssl, theirs + len, sizeof theirs - len);
        *(sends ? &sent : &len) += rv > 0 ? (size_t)rv : 0;
    }
    if (len == sizeof theirs && !memcmp(theirs, GREETING_REP, sizeof theirs))
        return ERR_OK;
    return err_set(why, ERR_PROTOCOL, "takes connections, but is no agent");
}

enum err handshake_greet(int fd, const struct creds *creds, const char *name,
                         uint64_t due_ns, struct cert *peer, struct why *why)
{
    struct work w = {.fd = fd, .due_ns = due_ns, .creds = creds, .name = name};
    mbedtls_ssl_init(&w.ssl);
    mbedtls_ssl_config_init(&w.config);
    mbedtls_x509_crt_init(&w.ca);
    mbedtls_x509_crt_init(&w.own);
    mbedtls_pk_init(&w.key);
    int rv = set_up(&w);
    enum err e =
        rv ? cert_key_err(why, ERR_INVALID, rv, "credentials") : shake(&w, why);
    if (!e)
        e = greet(&w, why);
    if (!e)
        (void)mbedtls_ssl_close_notify(&w.ssl);
    if (peer)
        *peer = w.peer;
    mbedtls_pk_free(&w.key);
    mbedtls_x509_crt_free(&w.own);
    mbedtls_x509_crt_free(&w.ca);
    mbedtls_ssl_config_free(&w.config);
    mbedtls_ssl_free(&w.ssl);
    return e;
}
