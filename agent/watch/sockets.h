/* What a second's looks at the sockets come to: levels of the last look, the
 * smallest and largest receive buffer of all, and the differences of each
 * socket's own counters. Pure; the looks come from tcpinfo. */
#ifndef PITWALL_AGENT_WATCH_SOCKETS_H
#define PITWALL_AGENT_WATCH_SOCKETS_H

#include "agent/watch/tcpinfo.h"
#include "common/record.h"

/* Set on the sockets of the watch itself, so that neither side's watch takes
 * them for the load's: the lower-effort class (RFC 8622). */
#define SOCKETS_WATCH_TOS 0x04

#define SOCKETS_SLOTS 4096 /* a power of two; three quarters are used */

/* Congestion controls that one trial's sockets can have; a stranger's further
 * ones count as the last. */
#define SOCKETS_CONGESTIONS 4

struct sockets_congestion {
    char name[16];
    uint64_t seen; /* sockets that had it, of all looks */
};

struct sockets_slot {
    uint64_t cookie; /* 0: free; the kernel counts from 1 */
    uint64_t busy_us, rwnd_limited_us;
};

struct sockets {
    uint16_t watch_port; /* local port of the own connection, 0: none */
    bool primed; /* counters of sockets are known from an earlier look */
    /* The look under way, and the one before it. */
    struct sockets_slot *now, *before; /* [SOCKETS_SLOTS] */
    size_t n_now;
    uint64_t sockets, rcvq_bytes, sndq_bytes, rtt_us, cwnd;
    uint64_t delivery_rate_bytes_s;
    /* Of all looks since sockets_take. */
    uint64_t rcvq_peak_bytes, rcvq_sum_bytes;
    uint64_t rcvbuf_min, rcvbuf_max;
    uint64_t busy_us, rwnd_limited_us;
    uint64_t looks, looks_taken; /* in all; by the last sockets_take */
    struct sockets_congestion congestions[SOCKETS_CONGESTIONS];
    size_t n_congestions;
};

/* Owns: the tables, for sockets_fini. ERR_NOMEM. */
CHECKED enum err sockets_init(struct sockets *sockets, struct why *why);
void sockets_fini(struct sockets *sockets);

/* One look: begin, each socket (ctx is the struct sockets), end. The first
 * look's counters are a base and no difference; a socket that appears later
 * brings all it counted. */
void sockets_begin(struct sockets *sockets);
void sockets_add(void *ctx, const struct tcpinfo *socket);
void sockets_end(struct sockets *sockets);

/* Fill the sockets' part of a sample and begin a new second. */
void sockets_take(struct sockets *sockets, struct record_sample_tcp *out);

#endif
