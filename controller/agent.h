/* The agent that a command works with: one named on the command line, or one of
 * our own on this machine; its channel and what it said in its greeting. */
#ifndef PITWALL_CONTROLLER_AGENT_H
#define PITWALL_CONTROLLER_AGENT_H

#include "common/chan.h"
#include "controller/local.h"
#include "controller/request.h"
#include "controller/tunnel.h"

#define AGENT_DIAL_NS  (5ull * 1000000000u)
#define AGENT_REPLY_NS (3ull * 1000000000u)

struct agent {
    struct chan *chan;
    struct local *local;   /* NULL: somebody else's agent */
    struct tunnel *tunnel; /* NULL: not by ssh */
    struct cert cert;      /* of its tls+tcp; name "": none */
    char url[256];
    uint64_t seq;   /* of the last request */
    uint64_t token; /* of agent_acquire, 0: none */
    struct msg_hello_reply hello;
};

/* How an agent is reached. */
struct agent_way {
    const char *url;     /* NULL: start one here */
    const char *name;    /* that its certificate must have; "": the URL's */
    const char *targets; /* folder of definitions for one here, or NULL */
    const char *folder;  /* state of an earlier one here, or NULL */
    const struct creds *creds; /* for tls+tcp; NULL: none */
    bool plain_ok;             /* tcp:// is allowed */
};

/* Reach an agent and greet it.
 * Errors  ERR_REFUSED: nobody there; ERR_VERSION: no common protocol, naming
 *         both versions; else as chan_dial and local_start; the text names the
 *         URL.
 * Owns    *out is the caller's, for agent_close; NULL on failure. */
CHECKED enum err agent_open(struct agent **out, const struct agent_way *way,
                            struct why *why);

/* Take the agent's lease for owner (an experiment's uuid), so that an agent in
 * use is found before anything is written. ERR_HELD: by another, for how long.
 */
CHECKED enum err agent_acquire(struct agent *agent, const char *owner,
                               uint64_t ttl_ns, struct why *why);

/* Prefix a failure with "agent URL"; with "agent" where its text begins with
 * the URL already, as the channel's do. Returns e. */
enum err agent_blame(const struct agent *agent, enum err e, struct why *why);

/* Let go of a lease that agent_acquire took and nobody has released since; a
 * local agent is ended, and its state removed unless keep. */
void agent_close(struct agent *agent, bool keep);

/* Send one request and wait for the answer; its body into *body. An error of
 * the agent's is returned as ours. */
CHECKED enum err agent_call(struct agent *agent, enum msg_op op,
                            const void *request, union request_body *body,
                            struct why *why);

/* The agent did not answer: when it is a local one that died, or the ssh on the
 * way to it has ended, start that again. *said (size bytes) tells what was
 * done, "" for nothing. ERR_CHILD: it cannot be started any more. */
CHECKED enum err agent_mend(struct agent *agent, char *said, size_t size,
                            struct why *why);

#endif
