/* A connected pair of TCP sockets on loopback. */
#ifndef PITWALL_TESTS_UNIT_WATCH_PAIR_H
#define PITWALL_TESTS_UNIT_WATCH_PAIR_H

#include <stdint.h>

struct pair {
    int listener, client, accepted;
    uint16_t port; /* of listener and accepted */
};

/* rcvbuf: SO_RCVBUF of the listener, which accepted inherits; 0: untouched.
 * v6: the listener is an IPv6 one that takes IPv4 too, as JVMs have it. */
struct pair pair_open(int rcvbuf, int v6);
void pair_close(struct pair *pair);

#endif
