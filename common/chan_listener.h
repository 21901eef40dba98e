/* The listening end of a server's socket, which in NNG 1.5.2 may go deaf; for
 * chan_server.c only. */
#ifndef PITWALL_COMMON_CHAN_LISTENER_H
#define PITWALL_COMMON_CHAN_LISTENER_H

#include <nng/nng.h>
#include <nng/supplemental/tls/tls.h>
#include <stdbool.h>
#include <stdint.h>

struct chan_listener {
    const char *url; /* borrowed */
    nng_socket socket;
    nng_listener listener;
    nng_tls_config *tls; /* borrowed; NULL: none */
    unsigned mode;       /* permissions of an ipc socket */
    bool open;           /* listener is there */
    unsigned knocks;     /* of our own that nothing answered yet */
    unsigned deaf;       /* how often it was */
    uint64_t faults;     /* NNG's count that is accounted for */
    uint64_t ends;       /* of accepting, good or bad, before we knocked */
};

/* Listen on l->socket at l->url, by what else l says; the rest of it is set.
 * NNG's result. */
int chan_listener_open(struct chan_listener *l);

/* Whether it may go deaf and chan_listener_check must be called now and then
 * (once a second): ipc and tls+tcp before 1.6. */
bool chan_listener_needs_care(const struct chan_listener *l);

/* See whether it still listens, and listen anew when it does not; that ends all
 * connections. NNG's result; after a failure the next check tries again. */
int chan_listener_check(struct chan_listener *l);

/* Listen anew in any case. NNG's result. */
int chan_listener_renew(struct chan_listener *l);

#endif
