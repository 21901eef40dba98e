/* Requests and answers on their way between the controller and the agents. */
#ifndef PITWALL_TESTS_SIM_NET_H
#define PITWALL_TESTS_SIM_NET_H

#include "common/msg.h"

struct sim;

struct packet {
    uint64_t seq;   /* of the request, also in its answer */
    bool stranger;  /* not from our controller, which gets no answer */
    uint8_t *bytes; /* request: as it is on the wire; answer: of a chunk */
    size_t len;
    /* Of an answer: */
    enum err err;
    char text[200];
    enum msg_op op;
    struct msg_lease lease;
    struct msg_status_reply status;
    uint64_t mono_ns, offset, total;
};

/* A packet of these bytes (copied), or without. Owns: net_drop. */
struct packet *net_packet(const void *bytes, size_t len);
void net_drop(struct packet *p);

/* Put one on its way to an agent, or an answer back (taken). */
void net_request(struct sim *sim, unsigned site, struct packet *p);
void net_answer(struct sim *sim, unsigned site, struct packet *p);

#endif
