/* The gate's decisions: what a request needs, and how each answer reads. Pure:
 * the world comes as values, sockets and files are serve.c's. */
#ifndef PITWALL_AGENT_GATE_GATE_H
#define PITWALL_AGENT_GATE_GATE_H

#include "agent/gate/facts.h"
#include "agent/gate/request.h"

/* What the gate knows when a request arrives (all borrowed). */
struct gate_world {
    uint64_t mono_ns, wall_ns;         /* now */
    const struct facts *facts;         /* of the machine */
    const struct port_facts *executor; /* asked for at start */
    const char *boot_id;
    uint64_t incarnation;
};

enum gate_way {
    GATE_ANSWERED, /* the reply stands in the buffer */
    GATE_FORWARD,  /* send request->port; PREPARE: with the plan as an fd */
    GATE_COLLECT   /* as GATE_FORWARD, unless the spool's fd is held already */
};

/* Decode, check and, where the gate can, answer one request; malformed ones
 * are answered too. reply is emptied first; with GATE_ANSWERED it holds the
 * answer, or nothing when there was no memory for one. */
enum gate_way gate_handle(const struct gate_world *world, const void *data,
                          size_t len, struct request *request,
                          struct wire_buf *reply);

/* Answer request with what the executor said; its texts need not end, and are
 * cut to what a reply holds. */
void gate_answer(const struct request *request, const struct port_reply *said,
                 struct wire_buf *reply);

/* Answer request with an error of the gate's own; e is not ERR_OK. */
void gate_refuse(const struct gate_world *world, const struct request *request,
                 enum err e, const struct why *why, struct wire_buf *reply);

/* Answer a COLLECT with len bytes of a spool of total bytes. */
void gate_chunk(const struct gate_world *world, const struct request *request,
                const struct wire_blob *data, uint64_t total,
                struct wire_buf *reply);

#endif
