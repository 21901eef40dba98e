#include "controller/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

#define DIAL_AGAIN_NS (5 * NS_PER_MS)

enum err lab_call(struct lab *lab, enum msg_op op, const void *request,
                  union request_body *body, struct why *why)
{
    struct request rq = {
        .op = op, .token = lab->token, .seq = ++lab->seq, .body = request};
    struct wire_buf out = {0};
    struct msg_reply head;
    struct wire_blob reply = {0};
    enum err e = request_encode(&rq, &out, why);
    if (!e)
        e = chan_call(lab->chan, out.data, out.len, LAB_REPLY_NS, &reply, why);
    if (!e)
        e = request_decode(&rq, reply.data, reply.len, &head, body, why);
    if (!e && head.err)
        e = err_set(why, (enum err)head.err, "%s",
                    head.text[0] ? head.text : err_text((enum err)head.err));
    wire_buf_free(&out);
    return e;
}

static enum err greet(struct lab *lab, struct why *why)
{
    struct msg_hello hello = {.proto_min = MSG_PROTO_MIN,
                              .proto_max = MSG_PROTO_MAX};
    union request_body *body = malloc(sizeof *body);
    if (!body)
        return err_set(why, ERR_NOMEM, "greeting");
    (void)snprintf(hello.version, sizeof hello.version, "%s", PITWALL_VERSION);
    enum err e = lab_call(lab, MSG_HELLO, &hello, body, why);
    if (!e && (body->hello.proto < MSG_PROTO_MIN ||
               body->hello.proto > MSG_PROTO_MAX))
        e = err_set(why, ERR_VERSION,
                    "pitwall " PITWALL_VERSION " speaks protocol %d, agent %s "
                    "(version %s) wants %u",
                    MSG_PROTO_MAX, body->hello.name, body->hello.version,
                    body->hello.proto);
    if (!e)
        lab->hello = body->hello;
    free(body);
    return e;
}

/* A socket file stands there a moment before its listener does. */
static enum err dial(struct lab *lab, bool plain_ok, struct why *why)
{
    uint64_t due = clock_mono_ns() + LAB_DIAL_NS;
    for (;;) {
        enum err e =
            chan_dial(&lab->chan, lab->url, plain_ok, LAB_DIAL_NS, why);
        if (e != ERR_REFUSED || !lab->local || !local_alive(lab->local) ||
            clock_mono_ns() >= due)
            return e;
        clock_sleep_until(clock_mono_ns() + DIAL_AGAIN_NS);
    }
}

enum err lab_blame(const struct lab *lab, enum err e, struct why *why)
{
    if (!strncmp(why->text, lab->url, strlen(lab->url)))
        return err_wrap(why, e, "agent");
    return err_wrap(why, e, "agent %s", lab->url);
}

enum err lab_open(struct lab **out, const char *url, bool plain_ok,
                  struct why *why)
{
    *out = NULL;
    struct lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return err_set(why, ERR_NOMEM, "lab");
    enum err e = ERR_OK;
    if (!url) {
        e = local_start(&lab->local, why);
        url = e ? NULL : local_url(lab->local);
    }
    if (!e) {
        (void)snprintf(lab->url, sizeof lab->url, "%s", url);
        e = dial(lab, plain_ok, why);
        if (e == ERR_NOTFOUND) /* that no one is there is no bad input */
            e = ERR_REFUSED;
        if (!e)
            e = greet(lab, why);
        if (e)
            e = lab_blame(lab, e, why);
    }
    if (e) {
        lab_close(lab, false);
        return e;
    }
    *out = lab;
    return ERR_OK;
}

enum err lab_acquire(struct lab *lab, const char *owner, uint64_t ttl_ns,
                     struct why *why)
{
    struct msg_acquire acquire = {.ttl_ns = ttl_ns};
    union request_body body;
    (void)snprintf(acquire.owner, sizeof acquire.owner, "%s", owner);
    enum err e = lab_call(lab, MSG_ACQUIRE, &acquire, &body, why);
    if (e)
        return lab_blame(lab, e, why);
    lab->token = body.lease.token;
    return ERR_OK;
}

static void release(struct lab *lab)
{
    union request_body body;
    if (!lab->token || lab->local)
        return;
    enum err e = lab_call(lab, MSG_RELEASE, NULL, &body, NULL);
    (void)e; /* it runs out by itself */
}

void lab_close(struct lab *lab, bool keep)
{
    if (!lab)
        return;
    release(lab);
    chan_close(lab->chan);
    local_stop(lab->local, keep);
    free(lab);
}

enum err lab_mend(struct lab *lab, char *said, size_t size, struct why *why)
{
    char line[256];
    said[0] = '\0';
    if (!lab->local || local_alive(lab->local))
        return ERR_OK;
    (void)local_last_line(lab->local, line, sizeof line);
    (void)snprintf(said, size, "the local agent died%s%s; started again",
                   line[0] ? ": " : "", line);
    return local_restart(lab->local, why);
}
