/* NNG before 1.6 takes the error of a peer that has gone before it was greeted
 * (EPIPE, its NNG_ECLOSED) for the end of the listener: nobody is accepted any
 * more, for ever, while the socket still takes connections and greets them
 * (control.md N1, where it is TLS; measured here for ipc: one connect() and
 * close() may be enough. Over tcp the error is another one, and accepting goes
 * on after 100 ms).
 *
 * It shows in nothing but this: the statistic "other" grows, as it does when a
 * client leaves. So after it has grown we knock ourselves, and look at the next
 * check whether "accept" has grown in its turn:
 *
 *   other as accounted for --> nothing to do
 *   other has grown        --> knock
 *   knocked, accept grew   --> it listens; our knock is one more of "other"
 *   knocked, accept as before --> deaf: close it, listen anew */
#include "common/chan_listener.h"

#include "common/address.h"
#include "common/chan_nng.h"
#include "common/clock.h"
#include "common/msg.h"

/* For a greeting; NNG pauses for 100 ms after some faults. */
#define KNOCK_NS (300 * NS_PER_MS)

static int start(struct chan_listener *l)
{
    int rv = nng_listener_create(&l->listener, l->socket, l->url);
    if (rv)
        return rv;
    (void)((rv = nng_listener_set_size(l->listener, NNG_OPT_RECVMAXSZ,
                                       MSG_REQUEST_MAX + CHAN_SP_HEADER_MAX)) ||
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
    l->knocked = false;
    l->faults = 0;
    return rv;
}

int chan_listener_open(struct chan_listener *l, nng_socket socket,
                       const char *url, unsigned mode)
{
    *l = (struct chan_listener){.url = url, .socket = socket, .mode = mode};
    return start(l);
}

#if NNG_MAJOR_VERSION == 1 && NNG_MINOR_VERSION < 6

bool chan_listener_needs_care(const struct chan_listener *l)
{
    return !chan_nng_is_tcp(l->url);
}

static uint64_t value_of(nng_stat *listener, const char *name)
{
    nng_stat *stat = listener ? nng_stat_find(listener, name) : NULL;
    return stat ? nng_stat_value(stat) : 0;
}

static int counts(const struct chan_listener *l, uint64_t *faults,
                  uint64_t *accepts)
{
    nng_stat *all;
    int rv = nng_stats_get(&all);
    if (rv)
        return rv;
    nng_stat *stat = nng_stat_find_listener(all, l->listener);
    *faults = value_of(stat, "other");
    *accepts = value_of(stat, "accept");
    nng_stats_free(all);
    return 0;
}

int chan_listener_check(struct chan_listener *l)
{
    uint64_t faults, accepts;
    if (!l->open)
        return start(l);
    int rv = counts(l, &faults, &accepts);
    if (rv)
        return rv;
    if (l->knocked && accepts == l->accepts) {
        (void)nng_listener_close(l->listener);
        return start(l);
    }
    if (l->knocked)
        l->faults++;
    l->knocked = false;
    if (faults == l->faults)
        return 0;
    l->faults = faults;
    l->accepts = accepts;
    l->knocked = !address_probe(l->url, clock_mono_ns() + KNOCK_NS, NULL);
    if (!l->knocked) /* again at the next check */
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
