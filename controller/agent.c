#include "controller/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "common/clock.h"

#define DIAL_AGAIN_NS (5 * NS_PER_MS)

enum err agent_call(struct agent *agent, enum msg_op op, const void *request,
                    union request_body *body, struct why *why)
{
    struct request rq = {
        .op = op, .token = agent->token, .seq = ++agent->seq, .body = request};
    struct wire_buf out = {0};
    struct msg_reply head;
    struct wire_blob reply = {0};
    enum err e = request_encode(&rq, &out, why);
    if (!e)
        e = chan_call(agent->chan, out.data, out.len, AGENT_REPLY_NS, &reply,
                      why);
    if (!e)
        e = request_decode(&rq, reply.data, reply.len, &head, body, why);
    if (!e && head.err)
        e = err_set(why, (enum err)head.err, "%s",
                    head.text[0] ? head.text : err_text((enum err)head.err));
    wire_buf_free(&out);
    return e;
}

static enum err greet(struct agent *agent, struct why *why)
{
    struct msg_hello hello = {.proto_min = MSG_PROTO_MIN,
                              .proto_max = MSG_PROTO_MAX};
    union request_body *body = malloc(sizeof *body);
    if (!body)
        return err_set(why, ERR_NOMEM, "greeting");
    (void)snprintf(hello.version, sizeof hello.version, "%s", PITWALL_VERSION);
    enum err e = agent_call(agent, MSG_HELLO, &hello, body, why);
    if (!e && (body->hello.proto < MSG_PROTO_MIN ||
               body->hello.proto > MSG_PROTO_MAX))
        e = err_set(why, ERR_VERSION,
                    "pitwall " PITWALL_VERSION " speaks protocol %d, agent %s "
                    "(version %s) wants %u",
                    MSG_PROTO_MAX, body->hello.name, body->hello.version,
                    body->hello.proto);
    if (!e)
        agent->hello = body->hello;
    free(body);
    return e;
}

/* By TLS, over plain tcp or a socket; where the agent is is known by now. */
static enum err dial_once(struct agent *agent, const struct agent_way *way,
                          struct why *why)
{
    const char *at = agent->tunnel ? tunnel_url(agent->tunnel) : agent->url;
    if (way->creds && address_is_tls(at)) {
        const struct chan_trust trust = {.creds = way->creds,
                                         .name = way->name};
        return chan_dial_tls(&agent->chan, at, &trust, AGENT_DIAL_NS,
                             &agent->cert, why);
    }
    return chan_dial(&agent->chan, at, way->plain_ok, AGENT_DIAL_NS, why);
}

/* A socket file stands there a moment before its listener does. */
static enum err dial(struct agent *agent, const struct agent_way *way,
                     struct why *why)
{
    uint64_t due = clock_mono_ns() + AGENT_DIAL_NS;
    for (;;) {
        enum err e = dial_once(agent, way, why);
        if (e != ERR_REFUSED || !agent->local || !local_alive(agent->local) ||
            clock_mono_ns() >= due)
            return e;
        clock_sleep_until(clock_mono_ns() + DIAL_AGAIN_NS);
    }
}

/* What the other end of ssh says of the socket, behind our own complaint. */
static enum err dial_through(struct agent *agent, const struct agent_way *way,
                             struct why *why)
{
    char line[200];
    enum err e = dial(agent, way, why);
    if (!e || !agent->tunnel)
        return e;
    struct why own = *why;
    (void)tunnel_said(agent->tunnel, line, sizeof line);
    return err_set(why, e, "%s: %s%s%s", agent->url,
                   strrchr(own.text, ':') ? strrchr(own.text, ':') + 2
                                          : own.text,
                   line[0] ? "; ssh: " : "", line);
}

enum err agent_blame(const struct agent *agent, enum err e, struct why *why)
{
    if (!strncmp(why->text, agent->url, strlen(agent->url)))
        return err_wrap(why, e, "agent");
    return err_wrap(why, e, "agent %s", agent->url);
}

/* Make what is on the way: an agent of our own, or a tunnel. */
static enum err pave(struct agent *agent, const struct agent_way *way,
                     struct why *why)
{
    enum err e = ERR_OK;
    if (!way->url) {
        e = local_start(&agent->local, way->targets, way->folder, why);
        if (e)
            return e;
    }
    (void)snprintf(agent->url, sizeof agent->url, "%s",
                   way->url ? way->url : local_url(agent->local));
    return tunnel_is(agent->url) ? tunnel_open(&agent->tunnel, agent->url, why)
                                 : ERR_OK;
}

/* An agent's gate may just begin anew; a greeting may be said twice. */
static enum err greet_twice(struct agent *agent, struct why *why)
{
    enum err e = greet(agent, why);
    return e == ERR_GONE ? greet(agent, why) : e;
}

enum err agent_open(struct agent **out, const struct agent_way *way,
                    struct why *why)
{
    *out = NULL;
    struct agent *agent = calloc(1, sizeof *agent);
    if (!agent)
        return err_set(why, ERR_NOMEM, "lab");
    enum err e = pave(agent, way, why);
    bool known = agent->url[0];
    if (!e) {
        e = dial_through(agent, way, why);
        if (e == ERR_NOTFOUND) /* that no one is there is no bad input */
            e = ERR_REFUSED;
    }
    if (!e)
        e = greet_twice(agent, why);
    if (e && known)
        e = agent_blame(agent, e, why);
    if (e) {
        agent_close(agent, way->folder != NULL);
        return e;
    }
    *out = agent;
    return ERR_OK;
}

enum err agent_acquire(struct agent *agent, const char *owner, uint64_t ttl_ns,
                       struct why *why)
{
    struct msg_acquire acquire = {.ttl_ns = ttl_ns};
    union request_body body;
    (void)snprintf(acquire.owner, sizeof acquire.owner, "%s", owner);
    enum err e = agent_call(agent, MSG_ACQUIRE, &acquire, &body, why);
    if (e)
        return agent_blame(agent, e, why);
    agent->token = body.lease.token;
    return ERR_OK;
}

static void release(struct agent *agent)
{
    union request_body body;
    if (!agent->token || agent->local)
        return;
    enum err e = agent_call(agent, MSG_RELEASE, NULL, &body, NULL);
    (void)e; /* it runs out by itself */
}

void agent_close(struct agent *agent, bool keep)
{
    if (!agent)
        return;
    release(agent);
    chan_close(agent->chan);
    tunnel_close(agent->tunnel);
    local_stop(agent->local, keep);
    free(agent);
}

/* The ssh on the way; that it cannot be started is found out by waiting. */
static void mend_tunnel(struct agent *agent, char *said, size_t size)
{
    char line[200];
    struct why why = {""};
    if (tunnel_alive(agent->tunnel))
        return;
    (void)tunnel_said(agent->tunnel, line, sizeof line);
    enum err e = tunnel_restart(agent->tunnel, &why);
    (void)snprintf(said, size, "ssh to agent %s ended%s%s; %s",
                   agent->hello.name, line[0] ? ": " : "", line,
                   e ? why.text : "started again");
}

enum err agent_mend(struct agent *agent, char *said, size_t size,
                    struct why *why)
{
    char line[256];
    said[0] = '\0';
    if (agent->tunnel)
        mend_tunnel(agent, said, size);
    if (!agent->local || local_alive(agent->local))
        return ERR_OK;
    (void)local_last_line(agent->local, line, sizeof line);
    (void)snprintf(said, size, "the local agent died%s%s; started again",
                   line[0] ? ": " : "", line);
    return local_restart(agent->local, why);
}
