/* NNG before 1.6 takes the error of a peer that has gone before it was greeted
 * (EPIPE, its NNG_ECLOSED) for the end of the listener: nobody is accepted any
 * more, for ever, while the socket still takes connections and greets them
 * (control.md N1 for tls+tcp, where only who has a certificate can cause it;
 * measured here for ipc: one connect() and close() may be enough. Over plain
 * tcp the error is another one, and accepting goes on after 100 ms).
 *
 * It shows in nothing but this: the statistic "other" grows, as it does when a
 * client leaves. So after it has grown we knock ourselves: over ipc by a
 * greeting, over tls+tcp, where we have no certificate to come with, by bytes
 * that are no TLS. At the next check one of the listener's counts has grown in
 * its turn, "accept" or one of errors, since each ends one accepting; only a
 * deaf listener counts nothing:
 *
 *   other as accounted for --> nothing to do
 *   other has grown        --> knock
 *   knocked, a count grew  --> it listens; our knock may be one more of "other"
 *   knocked, all counts as before --> deaf: listen anew
 *
 * Over tls+tcp it is two knocks, since one of those 100 ms may swallow one. */
#include "common/chan_listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include "common/address.h"
#include "common/chan_nng.h"
#include "common/clock.h"
#include "common/msg.h"

/* For a greeting; NNG pauses for 100 ms after some faults. */
#define KNOCK_NS   (300 * NS_PER_MS)
#define TLS_KNOCKS 2
#define NO_TLS     "pitwall: who is there?\n"

static int start(struct chan_listener *l)
{
    int rv = nng_listener_create(&l->listener, l->socket, l->url);
    if (rv)
        return rv;
    (void)((rv = nng_listener_set_size(l->listener, NNG_OPT_RECVMAXSZ,
                                       MSG_REQUEST_MAX + CHAN_SP_HEADER_MAX)) ||
           (l->tls && (rv = nng_listener_set_ptr(
                           l->listener, NNG_OPT_TLS_CONFIG, l->tls))) ||
           (rv =
                chan_nng_is_tcp(l->url)
                    ? nng_listener_set_bool(l->listener, NNG_OPT_TCP_KEEPALIVE,
                                            true)
                    : nng_listener_set_int(l->listener, NNG_OPT_IPC_PERMISSIONS,
                                           (int)l->mode)) ||
           (rv = nng_listener_start(l->listener, 0)));
    if (rv)
        (void)nng_listener_close(l->listener);
    l->open = !rv;
    l->knocks = 0;
    l->faults = 0;
    return rv;
}

int chan_listener_open(struct chan_listener *l)
{
    return start(l);
}

int chan_listener_renew(struct chan_listener *l)
{
    if (l->open)
        (void)nng_listener_close(l->listener);
    l->open = false;
    return start(l);
}

#if NNG_MAJOR_VERSION == 1 && NNG_MINOR_VERSION < 6

bool chan_listener_needs_care(const struct chan_listener *l)
{
    return l->tls || !chan_nng_is_tcp(l->url);
}

static uint64_t value_of(nng_stat *listener, const char *name)
{
    nng_stat *stat = listener ? nng_stat_find(listener, name) : NULL;
    return stat ? nng_stat_value(stat) : 0;
}

/* *faults: of the kind that the mistake hides in; *ends: all of them. */
static int counts(const struct chan_listener *l, uint64_t *faults,
                  uint64_t *ends)
{
    static const char *const others[] = {
        "accept", "disconnect", "canceled", "timeout", "proto", "auth", "oom"};
    nng_stat *all;
    int rv = nng_stats_get(&all);
    if (rv)
        return rv;
    nng_stat *stat = nng_stat_find_listener(all, l->listener);
    *ends = *faults = value_of(stat, "other");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        *ends += value_of(stat, others[i]);
    nng_stats_free(all);
    return 0;
}

/* Whether somebody may have heard it. */
static bool knock(const struct chan_listener *l)
{
    uint64_t due_ns = clock_mono_ns() + KNOCK_NS;
    int fd;
    if (!l->tls)
        return !address_probe(l->url, due_ns, NULL);
    if (address_connect(l->url, due_ns, &fd, NULL))
        return false;
    ssize_t n = send(fd, NO_TLS, sizeof NO_TLS - 1, MSG_NOSIGNAL);
    (void)close(fd);
    return n > 0;
}

/* The answer to our last knock: none yet. NNG's result when it is deaf. */
static int silent(struct chan_listener *l)
{
    if (!l->tls || l->knocks == TLS_KNOCKS) {
        l->deaf++;
        return chan_listener_renew(l);
    }
    l->knocks += knock(l);
    return 0;
}

int chan_listener_check(struct chan_listener *l)
{
    uint64_t faults, ends;
    if (!l->open)
        return start(l);
    int rv = counts(l, &faults, &ends);
    if (rv)
        return rv;
    if (l->knocks && ends == l->ends)
        return silent(l);
    if (l->knocks && !l->tls) /* that one counts as "auth" */
        l->faults++;
    l->knocks = 0;
    if (faults == l->faults)
        return 0;
    l->faults = faults;
    l->ends = ends;
    l->knocks = knock(l);
    if (!l->knocks) /* again at the next check */
        l->faults--;
    return 0;
}

#else

bool chan_listener_needs_care(const struct chan_listener *l)
{
    (void)l;
    return false;
}

int chan_listener_check(struct chan_listener *l)
{
    (void)l;
    return 0;
}

#endif
