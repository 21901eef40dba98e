/* sock_diag by hand: a request of fixed size, answers read in place from one
 * buffer. (libnl-idiag makes objects of every socket; this runs five times a
 * second beside what is being measured.)
 *
 * The request is the old TCPDIAG_GETSOCK, since its dump gives both families
 * in one walk over the kernel's table, SOCK_DIAG_BY_FAMILY one family each.
 * That table is all namespaces' together: with the 262,144 buckets of a machine
 * of 24 GiB a walk takes 1.5 ms, so that known sockets are asked for by name.
 */
#include "agent/watch/tcpinfo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_BYTES    65536 /* the kernel fills at most 32 KiB at once */
#define ESTABLISHED     1u    /* TCP_ESTABLISHED */
#define EXTENSION(name) (uint8_t)(1u << (INET_DIAG_##name - 1))
#define DATAGRAMS_MAX   4096 /* some 300,000 sockets */
#define KNOWN_MAX       256  /* for more of them a walk is as cheap */
#define AT_ONCE         32   /* answers that surely fit the receive buffer */

struct request {
    struct nlmsghdr head;
    struct inet_diag_req body;
};

struct tcpinfo_reader {
    int fd;
    uint32_t seq;
    struct tcpinfo known[KNOWN_MAX]; /* as they were told last */
    size_t n_known;
    bool known_all; /* of the last walk, which came to its end */
    struct tcpinfo again[KNOWN_MAX];
    size_t n_again;
    /* Aligned as netlink's structs are. */
    uint32_t answer[ANSWER_BYTES / sizeof(uint32_t)];
};

enum err tcpinfo_open(struct tcpinfo_reader **out, struct why *why)
{
    const struct timeval patience = {.tv_sec = 1};
    *out = NULL;
    struct tcpinfo_reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(why, ERR_NOMEM, "socket diagnostics");
    r->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (r->fd < 0 || setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
                                sizeof patience)) {
        enum err e = err_errno(why, errno, "socket diagnostics");
        tcpinfo_close(r);
        return e;
    }
    *out = r;
    return ERR_OK;
}

void tcpinfo_close(struct tcpinfo_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        (void)close(reader->fd);
    free(reader);
}

static struct request request_of(uint32_t seq)
{
    return (struct request){
        .head = {.nlmsg_len = sizeof(struct request),
                 .nlmsg_type = TCPDIAG_GETSOCK,
                 .nlmsg_flags = NLM_F_REQUEST,
                 .nlmsg_seq = seq},
        .body = {.idiag_family = AF_INET,
                 .idiag_ext = EXTENSION(INFO) | EXTENSION(SKMEMINFO) |
                              EXTENSION(TOS) | EXTENSION(CONG),
                 .idiag_states = 1u << ESTABLISHED},
    };
}

static enum err ask(const struct tcpinfo_reader *r, const void *requests,
                    size_t len, struct why *why)
{
    if (send(r->fd, requests, len, 0) < 0)
        return err_errno(why, errno, "ask for sockets");
    return ERR_OK;
}

static void take_info(struct tcpinfo *s, const void *data, size_t len)
{
    /* Older kernels tell less, newer ones more. */
    struct tcp_info info = {0};
    memcpy(&info, data, len < sizeof info ? len : sizeof info);
    s->rtt_us = info.tcpi_rtt;
    s->cwnd = info.tcpi_snd_cwnd;
    s->busy_us = info.tcpi_busy_time;
    s->rwnd_limited_us = info.tcpi_rwnd_limited;
    s->delivery_rate_bytes_s = info.tcpi_delivery_rate;
}

/* A name, with or without its end. */
static void take_congestion(struct tcpinfo *s, const uint8_t *name, size_t len)
{
    size_t n = strnlen((const char *)name, len);
    if (n >= sizeof s->congestion)
        n = sizeof s->congestion - 1;
    memcpy(s->congestion, name, n);
    s->congestion[n] = '\0';
}

static void take_attributes(struct tcpinfo *s, const uint8_t *data, size_t len)
{
    struct rtattr a;
    while (len >= sizeof a) {
        memcpy(&a, data, sizeof a);
        if (a.rta_len < sizeof a || a.rta_len > len)
            return;
        const uint8_t *value = data + sizeof a;
        size_t n = a.rta_len - sizeof a;
        uint32_t mem[SK_MEMINFO_VARS] = {0};
        if (a.rta_type == INET_DIAG_SKMEMINFO) {
            memcpy(mem, value, n < sizeof mem ? n : sizeof mem);
            s->rcvbuf_bytes = mem[SK_MEMINFO_RCVBUF];
        } else if (a.rta_type == INET_DIAG_INFO) {
            take_info(s, value, n);
        } else if (a.rta_type == INET_DIAG_TOS && n) {
            s->tos = *value;
        } else if (a.rta_type == INET_DIAG_CONG) {
            take_congestion(s, value, n);
        }
        size_t step = NLMSG_ALIGN(a.rta_len);
        if (step >= len)
            return;
        data += step;
        len -= step;
    }
}

static bool take_socket(struct tcpinfo *s, const uint8_t *data, size_t len)
{
    struct inet_diag_msg m;
    if (len < sizeof m)
        return false;
    memcpy(&m, data, sizeof m);
    *s = (struct tcpinfo){
        .id.family = m.idiag_family,
        .established = m.idiag_state == ESTABLISHED,
        .cookie = (uint64_t)m.id.idiag_cookie[1] << 32 | m.id.idiag_cookie[0],
        .local_port = ntohs(m.id.idiag_sport),
        .remote_port = ntohs(m.id.idiag_dport),
        .rcvq_bytes = m.idiag_rqueue,
        .sndq_bytes = m.idiag_wqueue,
    };
    memcpy(s->id.words, &m.id, sizeof m.id);
    size_t at = NLMSG_ALIGN(sizeof m);
    if (at < len)
        take_attributes(s, data + at, len - at);
    return true;
}

static enum err take_message(const struct nlmsghdr *h, const uint8_t *body,
                             const struct tcpinfo_visitor *visitor,
                             struct why *why)
{
    size_t len = h->nlmsg_len - sizeof *h;
    struct tcpinfo socket;
    int error = 0;
    if (h->nlmsg_type == NLMSG_ERROR) {
        if (len >= sizeof error)
            memcpy(&error, body, sizeof error);
        return err_errno(why, error < 0 && error > -4096 ? -error : EPROTO,
                         "the kernel refuses to tell of sockets");
    }
    if (h->nlmsg_type == TCPDIAG_GETSOCK) {
        if (!take_socket(&socket, body, len))
            return err_set(why, ERR_PROTOCOL, "a socket of %zu bytes", len);
        visitor->visit(visitor->ctx, &socket);
    }
    return ERR_OK;
}

enum err tcpinfo_parse(const void *data, size_t len, uint32_t seq,
                       const struct tcpinfo_visitor *visitor, bool *done,
                       struct why *why)
{
    const uint8_t *at = data;
    struct nlmsghdr h;
    *done = false;
    while (len >= sizeof h) {
        memcpy(&h, at, sizeof h);
        if (h.nlmsg_len < sizeof h || h.nlmsg_len > len)
            return err_set(why, ERR_PROTOCOL, "a message of %u bytes in %zu",
                           h.nlmsg_len, len);
        /* Late answers to a request that timed out are passed over. */
        if (h.nlmsg_seq == seq) {
            *done = h.nlmsg_type == NLMSG_DONE;
            if (*done)
                return ERR_OK;
            enum err e = take_message(&h, at + sizeof h, visitor, why);
            if (e)
                return e;
        }
        size_t step = NLMSG_ALIGN(h.nlmsg_len);
        if (step >= len)
            return ERR_OK;
        at += step;
        len -= step;
    }
    return ERR_OK;
}

/* Wait for a datagram and read it. */
static enum err hear(struct tcpinfo_reader *r,
                     const struct tcpinfo_visitor *visitor, bool *done,
                     struct why *why)
{
    ssize_t n;
    do
        n = recv(r->fd, r->answer, sizeof r->answer, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return err_set(why, ERR_TIMEOUT,
                       "the kernel did not tell of sockets within a second");
    if (n < 0)
        return err_errno(why, errno, "read of sockets");
    return tcpinfo_parse(r->answer, (size_t)n, r->seq, visitor, done, why);
}

/* Remember who is there, and pass it on. */
struct walk {
    struct tcpinfo_reader *reader;
    const struct tcpinfo_visitor *visitor;
};

static void walked(void *ctx, const struct tcpinfo *socket)
{
    const struct walk *walk = ctx;
    struct tcpinfo_reader *r = walk->reader;
    if (r->n_known < KNOWN_MAX)
        r->known[r->n_known] = *socket;
    r->n_known++;
    walk->visitor->visit(walk->visitor->ctx, socket);
}

enum err tcpinfo_each(struct tcpinfo_reader *reader,
                      const struct tcpinfo_filter *filter,
                      const struct tcpinfo_visitor *visitor, struct why *why)
{
    struct walk walk = {reader, visitor};
    const struct tcpinfo_visitor walker = {walked, &walk};
    struct request dump = request_of(++reader->seq);
    bool done = false;
    dump.head.nlmsg_flags |= NLM_F_DUMP;
    dump.body.id.idiag_sport = htons(filter->local_port);
    dump.body.id.idiag_dport = htons(filter->remote_port);
    reader->n_known = 0;
    reader->known_all = false;
    enum err e = ask(reader, &dump, sizeof dump, why);
    for (int i = 0; !e && !done; i++)
        e = i < DATAGRAMS_MAX
                ? hear(reader, &walker, &done, why)
                : err_set(why, ERR_RANGE, "more sockets than can be told");
    reader->known_all = !e && reader->n_known <= KNOWN_MAX;
    return e;
}

static void told_again(void *ctx, const struct tcpinfo *socket)
{
    struct tcpinfo_reader *r = ctx;
    if (socket->established && r->n_again < r->n_known)
        r->again[r->n_again++] = *socket;
}

/* Ask for n of those known from number `from` on; false: one did not come. The
 * kernel refuses what is gone; what it told besides is passed over later. */
static bool ask_again(struct tcpinfo_reader *r, size_t from, size_t n)
{
    const struct tcpinfo_visitor visitor = {told_again, r};
    struct request requests[AT_ONCE];
    bool done;
    r->seq++;
    for (size_t i = 0; i < n; i++) {
        const struct tcpinfo_id *id = &r->known[from + i].id;
        requests[i] = request_of(r->seq);
        requests[i].body.idiag_family = id->family;
        memcpy(&requests[i].body.id, id->words, sizeof requests[i].body.id);
    }
    if (ask(r, requests, n * sizeof *requests, NULL))
        return false;
    while (r->n_again < from + n) {
        size_t told = r->n_again;
        if (hear(r, &visitor, &done, NULL) || r->n_again == told)
            return false;
    }
    return true;
}

bool tcpinfo_again(struct tcpinfo_reader *reader,
                   const struct tcpinfo_visitor *visitor)
{
    size_t n = reader->n_known;
    reader->n_again = 0;
    if (!reader->known_all)
        return false;
    for (size_t at = 0; at < n; at += AT_ONCE)
        if (!ask_again(reader, at, n - at < AT_ONCE ? n - at : AT_ONCE))
            return false;
    for (size_t i = 0; i < n; i++)
        visitor->visit(visitor->ctx, &reader->again[i]);
    return true;
}
