/* What gate and executor say to each other: one request and one answer per
 * SOCK_SEQPACKET packet, fixed structs, programs of one build. The gate has
 * checked and decoded everything; the executor checks again what it acts on.
 *
 * The socket is the gate's fd 3. PREPARE carries the plan as a sealed memfd by
 * SCM_RIGHTS; the answer to COLLECT carries a read-only fd of the sealed
 * spool. Answers come in the order of the requests. */
#ifndef PITWALL_AGENT_PORT_H
#define PITWALL_AGENT_PORT_H

#include "common/msg.h"

#define PORT_FD 3
/* With --tls: ca.pem, cert.pem, key.pem, which the gate need not be able to
 * open itself. */
#define PORT_TLS_FD 4

struct port_request {
    uint32_t op; /* enum msg_op; HELLO asks for the executor's facts */
    uint32_t tid, att;
    char eid[37];
    uint64_t token;
    union {
        struct msg_acquire acquire;
        struct msg_renew renew;
        struct trial_spec spec; /* PREPARE */
        struct msg_start_at start_at;
        struct msg_meet meet;
        struct msg_stop stop;
        struct msg_ack ack;
        struct msg_settle settle;
    } as;
};

/* Facts of the executor, asked for once by the gate. */
struct port_facts {
    char name[65];
    char roles[17];
    char targets[1025];
    char target_maps[8193];
    char features[513];
    char missing[1025];
    uint64_t limit_memory_bytes; /* of a target, as configured; 0: none */
    uint32_t limit_cpus_milli, limit_pids; /* likewise */
    char told[8193]; /* name=value lines: link ethernet's interface, machine */
};

struct port_reply {
    uint32_t err; /* enum err */
    char text[512];
    char boot_id[37];
    uint64_t incarnation;
    uint64_t lease_left_ns;
    union {
        struct port_facts facts;        /* HELLO */
        struct msg_lease lease;         /* ACQUIRE, RENEW */
        struct msg_status_reply status; /* PREPARE ... STATUS */
        struct msg_settled settled;     /* SETTLE */
    } as;
};

_Static_assert(sizeof(struct port_request) < 65536, "one packet");

/* Send or receive one packet of exactly size bytes, with at most one fd beside
 * it (-1: none). Receiving: ERR_GONE at end of file, ERR_PROTOCOL on another
 * size, ERR_AGAIN when nothing is there (non-blocking sockets). A received fd
 * is close-on-exec and the caller's. */
CHECKED enum err port_send(int sock, const void *packet, size_t size, int fd,
                           struct why *why);
CHECKED enum err port_receive(int sock, void *packet, size_t size, int *fd,
                              struct why *why);

#endif
