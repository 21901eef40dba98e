/* Established TCP sockets as the kernel tells of them (sock_diag(7)): the sole
 * owner of socket diagnostics. */
#ifndef PITWALL_AGENT_WATCH_TCPINFO_H
#define PITWALL_AGENT_WATCH_TCPINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* What the kernel finds a socket by. */
struct tcpinfo_id {
    uint8_t family;
    uint32_t words[12]; /* struct inet_diag_sockid */
};

/* One socket. */
struct tcpinfo {
    struct tcpinfo_id id;
    bool established;
    uint64_t cookie; /* its name in the kernel, never used twice */
    uint16_t local_port, remote_port;
    uint8_t tos;
    uint32_t rcvq_bytes, sndq_bytes; /* not read yet; not acknowledged yet */
    uint32_t rcvbuf_bytes;           /* SK_MEMINFO_RCVBUF */
    uint32_t rtt_us, cwnd;           /* TCP_INFO */
    uint64_t busy_us, rwnd_limited_us, delivery_rate_bytes_s;
    char congestion[16]; /* "bbr": what it sends by now; "": not told */
};

/* Which sockets: those with this local or this remote port; 0 is any. */
struct tcpinfo_filter {
    uint16_t local_port, remote_port;
};

/* Who is told of each socket. */
struct tcpinfo_visitor {
    void (*visit)(void *ctx, const struct tcpinfo *socket);
    void *ctx;
};

struct tcpinfo_reader;

/* Open the netlink socket of the own namespace. Owns: *out, for
 * tcpinfo_close; NULL on failure. */
CHECKED enum err tcpinfo_open(struct tcpinfo_reader **out, struct why *why);
void tcpinfo_close(struct tcpinfo_reader *reader);

/* Visit each established socket, IPv4 and IPv6. Nothing is allocated. The
 * kernel walks over its whole table, which takes it a millisecond and more
 * where that is made for many sockets, however few there are.
 * Errors  ERR_TIMEOUT: the kernel did not answer in a second; ERR_PROTOCOL. */
CHECKED enum err tcpinfo_each(struct tcpinfo_reader *reader,
                              const struct tcpinfo_filter *filter,
                              const struct tcpinfo_visitor *visitor,
                              struct why *why);

/* Visit those of the last tcpinfo_each again, asked for one by one, which costs
 * microseconds each; new ones are not seen. False: they have to be looked for
 * anew, and none was visited: one of them is established no more, they are
 * more than are remembered, or the kernel does not answer. */
bool tcpinfo_again(struct tcpinfo_reader *reader,
                   const struct tcpinfo_visitor *visitor);

/* Pure part: read one datagram of answers to the request numbered seq; *done
 * is true after the last. The kernel's refusal of the request: that error. */
CHECKED enum err tcpinfo_parse(const void *data, size_t len, uint32_t seq,
                               const struct tcpinfo_visitor *visitor,
                               bool *done, struct why *why);

#endif
