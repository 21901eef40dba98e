/* One thread, three descriptors:
 *
 *     controller -- NNG --> take -> gate_handle --+-- answered --> answer
 *                                                 |
 *                      spool at hand: pread <-----+-- port --> executor
 *                                                 |              |
 *                                   gate_answer <-+--- asked ----+
 *
 * A slot of the channel is answered exactly once: at once, by the executor's
 * answer, or when that is overdue. Nothing that a peer sends ends the loop;
 * what the executor sends out of turn does, since the executor starts a new
 * gate at once and both begin in step. */
#include "agent/gate/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "agent/gate/asked.h"
#include "agent/gate/gate.h"
#include "agent/gate/health.h"
#include "agent/gate/sealed.h"
#include "agent/gate/spools.h"
#include "common/chan_server.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/spool.h"

#define TLS          "tls+tcp://"
#define FACTS_DUE_NS (10 * NS_PER_S)
/* Within the 2 s in which the executor takes our end for a final one. */
#define LISTEN_NS       (3 * NS_PER_S / 2)
#define LISTEN_AGAIN_NS (20 * NS_PER_MS)
#define SOCKET_MODE     0600 /* ipc: the gate's own user, and root */
#define TURN_MAX        8    /* requests or answers before the others' turn */
#define LOOK_NS         NS_PER_S
#define IDLE_NS         (5 * NS_PER_S) /* controllers ask once a second */
/* NNG's calls may hang for ever (control.md 1b): then the kernel ends us, and
 * the executor starts another. */
#define WATCHDOG_S 20
#define SOON_S     (14 * 86400) /* a certificate's end, to be told */

struct serve {
    struct chan_server *server;
    int port;
    uint64_t patience_ns;
    struct gate_world world;
    struct facts facts;
    struct port_reply hello; /* the executor's facts, boot_id, incarnation */
    struct port_reply said;  /* its newest answer */
    struct asked asked;
    struct spools spools;
    struct health_state health;
    unsigned deaf;              /* what was told of the listener */
    uint64_t look_ns, asked_ns; /* when to look next; who last asked */
    struct request request;
    struct wire_buf reply;
    uint8_t chunk[SPOOL_CHUNK_MAX];
};

/* Send the executor its request; op PREPARE with the plan beside it. */
static enum err forward(struct serve *s, struct why *why)
{
    int fd = -1;
    enum err e = ERR_OK;
    if (s->request.op == MSG_PREPARE)
        e = sealed_make(s->request.as.plan.data, s->request.as.plan.len, &fd,
                        why);
    if (!e)
        e = port_send(s->port, &s->request.port, sizeof s->request.port, fd,
                      why);
    if (fd >= 0)
        (void)close(fd);
    return e;
}

static enum err answer(struct serve *s, unsigned slot, struct why *why)
{
    return chan_server_answer(s->server, slot, s->reply.data, s->reply.len,
                              why);
}

/* Answer a COLLECT from the spool's fd. */
static void read_chunk(struct serve *s, const struct request *request, int fd)
{
    struct why why = {0};
    struct wire_blob data = {.data = s->chunk};
    uint64_t total = 0;
    enum err e = spools_read(fd, &request->as.collect, s->chunk, &data.len,
                             &total, &why);
    if (e)
        gate_refuse(&s->world, request, e, &why, &s->reply);
    else
        gate_chunk(&s->world, request, &data, total, &s->reply);
}

/* Ask the executor: the request waits in s->asked then. *answered: it could not
 * be asked, which s->reply says. ERR_GONE: there is no executor any more. */
static enum err ask(struct serve *s, unsigned slot, bool *answered)
{
    struct why why = {0};
    struct request *request = &s->request;
    enum err e = ERR_OK;
    *answered = false;
    if (request->op == MSG_ACK)
        spools_drop(&s->spools, &request->port);
    if (asked_full(&s->asked))
        e = err_set(&why, ERR_BUSY, "%d requests wait for the executor",
                    ASKED_MAX);
    if (!e)
        e = forward(s, &why);
    if (e == ERR_GONE)
        return e;
    if (!e) {
        asked_push(&s->asked, slot, request, s->world.mono_ns + s->patience_ns);
        return ERR_OK;
    }
    if (e == ERR_AGAIN)
        e = err_set(&why, ERR_BUSY, "the executor does not read");
    gate_refuse(&s->world, request, e, &why, &s->reply);
    *answered = true;
    return ERR_OK;
}

static enum err serve_one(struct serve *s, unsigned slot, const void *data,
                          size_t len, struct why *why)
{
    bool answered = true;
    enum err e = ERR_OK;
    s->world.mono_ns = clock_mono_ns(); /* PING's answer: after its sending */
    s->world.wall_ns = clock_wall_ns();
    s->asked_ns = s->world.mono_ns;
    enum gate_way way =
        gate_handle(&s->world, data, len, &s->request, &s->reply);
    int fd = -1;
    /* A transfer that begins is shown the spool as it is now. */
    if (way == GATE_COLLECT && s->request.as.collect.offset > 0)
        fd = spools_find(&s->spools, &s->request.port, s->world.mono_ns);
    if (fd >= 0)
        read_chunk(s, &s->request, fd);
    else if (way != GATE_ANSWERED)
        e = ask(s, slot, &answered);
    if (!e && answered)
        e = answer(s, slot, why);
    return e;
}

static enum err take_requests(struct serve *s, struct why *why)
{
    for (int i = 0; i < TURN_MAX; i++) {
        unsigned slot = 0;
        const void *data = NULL;
        size_t len = 0;
        struct why trouble = {0};
        enum err e = chan_server_take(s->server, &slot, &data, &len, &trouble);
        if (e == ERR_AGAIN)
            return ERR_OK;
        if (e) { /* NNG's own, which goes on */
            log_warn("gate request lost: %s", trouble.text);
            return ERR_OK;
        }
        e = serve_one(s, slot, data, len, why);
        if (e)
            return e;
    }
    return ERR_OK;
}

/* One answer of the executor: to whoever asked, unless that was given up. */
static enum err pass_answer(struct serve *s, int fd, struct why *why)
{
    const struct asked_entry *entry = asked_pop(&s->asked);
    if (!entry) {
        if (fd >= 0)
            (void)close(fd);
        return err_set(why, ERR_PROTOCOL,
                       "the executor answered what was not asked");
    }
    const struct request *request = &entry->request;
    bool collect = request->op == MSG_COLLECT && !s->said.err;
    if (fd >= 0 && collect)
        spools_take(&s->spools, &request->port, fd, s->world.mono_ns);
    else if (fd >= 0)
        (void)close(fd);
    if (entry->given_up)
        return ERR_OK;
    if (collect && fd < 0) {
        struct why none = {"the executor gave no spool"};
        gate_refuse(&s->world, request, ERR_INTERNAL, &none, &s->reply);
    } else if (collect) {
        read_chunk(s, request, fd);
    } else {
        gate_answer(request, &s->said, &s->reply);
    }
    return answer(s, entry->slot, why);
}

static enum err take_answers(struct serve *s, struct why *why)
{
    for (int i = 0; i < TURN_MAX; i++) {
        int fd = -1;
        enum err e = port_receive(s->port, &s->said, sizeof s->said, &fd, why);
        if (e == ERR_AGAIN)
            return ERR_OK;
        if (!e)
            e = pass_answer(s, fd, why);
        if (e)
            return e;
    }
    return ERR_OK;
}

/* What the executor owes for too long is answered in its place. */
static enum err give_up(struct serve *s, struct why *why)
{
    const struct asked_entry *entry = NULL;
    while ((entry = asked_give_up(&s->asked, s->world.mono_ns))) {
        struct why late = {0};
        enum err e = err_set(
            &late, ERR_TIMEOUT, "%s: the executor did not answer within %.3g s",
            msg_op_name(entry->request.op), (double)s->patience_ns / 1e9);
        gate_refuse(&s->world, &entry->request, e, &late, &s->reply);
        e = answer(s, entry->slot, why);
        if (e)
            return e;
    }
    return ERR_OK;
}

/* The executor's facts, before anybody is let in. */
static enum err learn(struct serve *s, struct why *why)
{
    struct port_request hello = {.op = MSG_HELLO};
    uint64_t due_ns = clock_mono_ns() + FACTS_DUE_NS;
    int fd = -1;
    enum err e = port_send(s->port, &hello, sizeof hello, -1, why);
    while (!e) {
        struct pollfd p = {.fd = s->port, .events = POLLIN};
        int wait_ms = clock_poll_ms(clock_mono_ns(), due_ns);
        (void)poll(&p, 1, wait_ms);
        e = port_receive(s->port, &s->hello, sizeof s->hello, &fd, why);
        if (e != ERR_AGAIN)
            break;
        e = wait_ms ? ERR_OK : err_set(why, ERR_TIMEOUT, "no answer in 10 s");
    }
    if (fd >= 0)
        (void)close(fd);
    if (!e && s->hello.err)
        e = err_set(why, ERR_INTERNAL, "%.400s", s->hello.text);
    return e ? err_wrap(why, e, "ask the executor for its facts") : ERR_OK;
}

/* See whether NNG has gathered too much; *end: go, for another gate. */
static void look(struct serve *s, bool *end)
{
    uint64_t now_ns = s->world.mono_ns;
    struct why why = {0};
    *end = false;
    if (now_ns < s->look_ns)
        return;
    s->look_ns = now_ns + LOOK_NS;
    const struct health_counts now = health_count();
    unsigned peers = chan_server_peers(s->server);
    if (chan_server_deaf(s->server) != s->deaf)
        log_warn("gate listens anew: NNG had gone deaf (times=%u)", ++s->deaf);
    bool idle = !peers || now_ns > s->asked_ns + IDLE_NS;
    switch (health_look(&s->health, &now, peers, idle)) {
    case HEALTH_GOOD:
        return;
    case HEALTH_RENEW:
        log_warn("gate listens anew: connections that never spoke files=%u "
                 "peers=%u",
                 now.files, peers);
        if (chan_server_renew(s->server, &why))
            log_warn("gate: %s", why.text); /* again at the next look */
        return;
    case HEALTH_END:
        log_warn("gate ends for a new one: descriptors or memory are lost "
                 "files=%u peers=%u rss=%llu",
                 now.files, peers, (unsigned long long)now.rss_bytes);
        *end = true;
    }
}

static enum err loop(struct serve *s, const struct serve_args *args,
                     struct why *why)
{
    struct pollfd p[3] = {
        {.fd = s->port, .events = POLLIN},
        {.fd = chan_server_fd(s->server), .events = POLLIN},
        {.fd = args->signal, .events = POLLIN},
    };
    bool end = false;
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        uint64_t due_ns = asked_due_ns(&s->asked);
        if (s->look_ns < due_ns)
            due_ns = s->look_ns;
        if (args->watched)
            (void)alarm(WATCHDOG_S);
        if (poll(p, 3, clock_poll_ms(now_ns, due_ns)) < 0 && errno != EINTR)
            return err_errno(why, errno, "poll");
        s->world.mono_ns = clock_mono_ns();
        if (p[2].revents)
            return ERR_OK;
        enum err e = take_answers(s, why);
        if (!e)
            e = give_up(s, why);
        if (!e && p[1].revents)
            e = take_requests(s, why);
        if (e)
            return e;
        spools_expire(&s->spools, s->world.mono_ns);
        look(s, &end);
        if (end)
            return ERR_OK;
    }
}

static void close_all(struct serve *s)
{
    chan_server_close(s->server);
    spools_fini(&s->spools);
    wire_buf_free(&s->reply);
    free(s);
}

static enum err unblock(int fd, struct why *why)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) ||
        fcntl(fd, F_SETFD, FD_CLOEXEC))
        return err_errno(why, errno, "the executor's socket (fd %d)", fd);
    return ERR_OK;
}

/* The gate of an agent that was killed just now may not have gone yet. */
static enum err listen_until(struct serve *s, const struct serve_args *args,
                             const struct creds *creds, struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + LISTEN_NS;
    for (;;) {
        enum err e = creds && strncmp(args->url, TLS, strlen(TLS)) == 0
                         ? chan_listen_tls(&s->server, args->url, creds, why)
                         : chan_listen(&s->server, args->url,
                                       args->insecure_plain, SOCKET_MODE, why);
        if (e != ERR_BUSY || clock_mono_ns() >= due_ns)
            return e;
        clock_sleep_until(clock_mono_ns() + LISTEN_AGAIN_NS);
    }
}

static void set_health(struct serve *s)
{
    struct rlimit files = {0};
    (void)getrlimit(RLIMIT_NOFILE, &files);
    s->health = (struct health_state){
        .first = health_count(),
        .files_max = files.rlim_cur < 65536 ? (unsigned)files.rlim_cur : 65536};
}

/* What the operator should know of our certificate; who refuses it is the
 * peer. */
static void tell_cert(const struct serve *s, const struct cert *own)
{
    char when[24], fault[64];
    int64_t now_s = (int64_t)time(NULL);
    const char *name = s->hello.as.facts.name;
    (void)cert_show_time(when, sizeof when, own->until_s);
    (void)cert_show_fault(own, now_s, fault, sizeof fault);
    if (fault[0])
        log_error("gate certificate name=%s: %s; no controller will take it",
                  own->name, fault);
    else if (now_s > own->until_s - SOON_S)
        log_warn("gate certificate name=%s expires soon: %s", own->name, when);
    if (strcmp(own->name, name) != 0)
        log_warn("gate certificate name=%s is not the agent's, %s", own->name,
                 name);
}

/* Read the credentials, if there are any, and listen. */
static enum err listen_there(struct serve *s, const struct serve_args *args,
                             struct why *why)
{
    struct creds creds;
    const int fds[] = {args->tls, args->tls + 1, args->tls + 2};
    if (args->tls < 0)
        return listen_until(s, args, NULL, why);
    enum err e = creds_read(&creds, fds, true, why);
    for (int i = 0; i < 3; i++)
        (void)close(fds[i]);
    if (e)
        return e;
    tell_cert(s, &creds.own);
    e = listen_until(s, args, &creds, why);
    creds_free(&creds);
    return e;
}

enum err serve_run(const struct serve_args *args, struct why *why)
{
    struct serve *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "gate");
    spools_init(&s->spools);
    s->port = args->port;
    s->patience_ns = args->patience_ns;
    s->world =
        (struct gate_world){.facts = &s->facts, .executor = &s->hello.as.facts};
    enum err e = unblock(s->port, why);
    if (!e)
        e = learn(s, why);
    if (e)
        goto out;
    s->world.boot_id = s->hello.boot_id;
    s->world.incarnation = s->hello.incarnation;
    facts_collect(&s->facts, "");
    facts_add_lines(&s->facts, s->hello.as.facts.told);
    e = listen_there(s, args, why);
    if (e)
        goto out;
    log_info("gate listening url=%s", args->url);
    set_health(s);
    e = loop(s, args, why);
out:
    if (e == ERR_GONE) {
        log_info("gate: the executor is gone");
        e = ERR_OK;
    }
    close_all(s);
    return e;
}
