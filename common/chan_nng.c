#include "common/chan_nng.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "common/clock.h"

#define CLOSE_NS (2 * NS_PER_S)

static enum err err_of(int rv)
{
    switch (rv) {
    case NNG_ENOMEM:
        return ERR_NOMEM;
    case NNG_EINVAL:
    case NNG_EADDRINVAL:
        return ERR_USAGE;
    case NNG_EBUSY:
    case NNG_EADDRINUSE:
        return ERR_BUSY;
    case NNG_ETIMEDOUT:
        return ERR_TIMEOUT;
    case NNG_ECONNREFUSED:
        return ERR_REFUSED;
    case NNG_ECLOSED:
    case NNG_ECONNABORTED:
    case NNG_ECONNRESET:
    case NNG_ECONNSHUT:
        return ERR_GONE;
    case NNG_ENOTSUP:
        return ERR_UNSUPPORTED;
    case NNG_ENOENT:
        return ERR_NOTFOUND;
    case NNG_EPROTO:
        return ERR_PROTOCOL;
    case NNG_EPERM:
    case NNG_EPEERAUTH:
    case NNG_ECRYPTO:
        return ERR_PERMISSION;
    case NNG_EMSGSIZE:
        return ERR_RANGE;
    case NNG_ENOSPC:
        return ERR_NOSPACE;
    case NNG_ECANCELED:
        return ERR_INTERRUPTED;
    case NNG_EINTERNAL:
        return ERR_INTERNAL;
    default:
        return ERR_IO;
    }
}

enum err chan_nng_err(struct why *why, int rv, const char *url)
{
    if (rv & NNG_ESYSERR)
        return err_errno(why, rv & ~NNG_ESYSERR, "%s", url);
    return err_set(why, err_of(rv), "%s: %s", url, nng_strerror(rv));
}

void chan_nng_raise(atomic_bool *flag, int event)
{
    atomic_store(flag, true);
    (void)eventfd_write(event, 1);
}

void chan_nng_drain(int event)
{
    eventfd_t unused;
    (void)eventfd_read(event, &unused);
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    (void)sigfillset(&all);
    int rc = pthread_sigmask(SIG_SETMASK, &all, before);
    assert(!rc);
}

static void restore_signals(const sigset_t *before)
{
    int rc = pthread_sigmask(SIG_SETMASK, before, NULL);
    assert(!rc);
}

int chan_nng_open(int (*open)(nng_socket *), nng_socket *socket)
{
    sigset_t before;
    block_signals(&before);
    int rv = open(socket);
    restore_signals(&before);
    return rv;
}

/* Shared by the closing thread and the one that waits; the last frees it. */
struct closing {
    nng_socket socket;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed, abandoned;
};

static void free_closing(struct closing *c)
{
    (void)pthread_cond_destroy(&c->changed);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *close_socket(void *arg)
{
    struct closing *c = arg;
    (void)nng_close(c->socket);
    (void)pthread_mutex_lock(&c->lock);
    c->closed = true;
    bool last = c->abandoned;
    (void)pthread_cond_signal(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    if (last)
        free_closing(c);
    return NULL;
}

/* Whether it closes in time. */
static bool await_closing(struct closing *c)
{
    uint64_t due_ns = clock_mono_ns() + CLOSE_NS;
    struct timespec due = {.tv_sec = (time_t)(due_ns / NS_PER_S),
                           .tv_nsec = (long)(due_ns % NS_PER_S)};
    int rc = 0;
    (void)pthread_mutex_lock(&c->lock);
    while (!c->closed && !rc)
        rc = pthread_cond_clockwait(&c->changed, &c->lock, CLOCK_MONOTONIC,
                                    &due);
    bool closed = c->closed;
    c->abandoned = !closed;
    (void)pthread_mutex_unlock(&c->lock);
    if (closed)
        free_closing(c);
    return closed;
}

static bool start_closing(struct closing *c)
{
    sigset_t before;
    pthread_t thread;
    block_signals(&before);
    bool started = !pthread_create(&thread, NULL, close_socket, c);
    restore_signals(&before);
    if (started)
        (void)pthread_detach(thread);
    return started;
}

bool chan_nng_close(nng_socket socket)
{
    struct closing *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->socket = socket;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->changed, NULL);
    if (start_closing(c))
        return await_closing(c);
    free_closing(c);
    return false;
}

bool chan_nng_is_tcp(const char *url)
{
    return url[0] == 't';
}

int chan_nng_tls(nng_tls_config **out, const struct creds *creds,
                 const char *name)
{
    nng_tls_config *c = NULL;
    int rv = nng_tls_config_alloc(&c, name ? NNG_TLS_MODE_CLIENT
                                           : NNG_TLS_MODE_SERVER);
    *out = NULL;
    if (rv)
        return rv;
    /* Without a name any agent's certificate would do for any agent, and a
     * listener by itself asks for none. */
    (void)((name && (rv = nng_tls_config_server_name(c, name))) ||
           (rv = nng_tls_config_auth_mode(c, NNG_TLS_AUTH_MODE_REQUIRED)) ||
           (rv = nng_tls_config_version(c, NNG_TLS_1_2, NNG_TLS_1_2)) ||
           (rv = nng_tls_config_ca_chain(c, creds->ca, NULL)) ||
           (rv = nng_tls_config_own_cert(c, creds->cert, creds->key, NULL)));
    if (rv)
        nng_tls_config_free(c);
    else
        *out = c;
    return rv;
}

enum err chan_nng_copy(nng_msg **out, const void *data, size_t len, size_t max,
                       const char *url, struct why *why)
{
    if (len > max)
        return err_set(why, ERR_RANGE,
                       "%s: a message of %zu bytes; at most %zu are sent", url,
                       len, max);
    int rv = nng_msg_alloc(out, len);
    if (rv)
        return chan_nng_err(why, rv, url);
    if (len)
        memcpy(nng_msg_body(*out), data, len);
    return ERR_OK;
}

void chan_nng_free(nng_aio *aio, bool holds_msg)
{
    if (!aio)
        return;
    if (holds_msg)
        nng_msg_free(nng_aio_get_msg(aio));
    nng_aio_free(aio);
}

void chan_nng_wait(int fd, uint64_t due_ns)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    (void)poll(&p, 1, clock_poll_ms(clock_mono_ns(), due_ns));
}
