/* When NNG has gathered too much to go on with: connections that never speak
 * and that it keeps for ever (control.md N4), descriptors and memory that it
 * loses with each peer that dies at the end of TLS's handshake (N3). Pure. */
#ifndef PITWALL_AGENT_GATE_HEALTH_H
#define PITWALL_AGENT_GATE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

struct health_counts {
    unsigned files; /* open descriptors */
    uint64_t rss_bytes;
};

enum health {
    HEALTH_GOOD,
    HEALTH_RENEW, /* listen anew, which ends the connections */
    HEALTH_END    /* exit: the executor starts another gate */
};

struct health_state {
    struct health_counts first; /* when nobody was there yet */
    unsigned files_max;         /* RLIMIT_NOFILE */
    bool renewed;               /* at the last look */
};

/* Look, about once a second. peers: who is connected and known; idle: none of
 * them has asked for anything for some seconds, so that cutting them costs
 * little. */
enum health health_look(struct health_state *state,
                        const struct health_counts *now, unsigned peers,
                        bool idle);

/* Read the process's own counts from /proc; zeros where that cannot be. */
struct health_counts health_count(void);

#endif
