/* Generic netlink by hand on libnl's messages: two commands need no more. */
#include "agent/executor/tcp_metrics.h"

#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <linux/tcp_metrics.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/executor/netlink.h"

#define AT_ONCE    256u
#define ROUNDS_MAX 64u /* the kernel's table has some thousands */

struct entries {
    uint32_t own, peer; /* network order; peer 0: any */
    uint32_t to[AT_ONCE];
    unsigned n;
};

/* A request of a family's command; NULL: no memory. */
static struct nl_msg *begin(int family, uint8_t command, uint8_t version,
                            int flags)
{
    const struct genlmsghdr head = {.cmd = command, .version = version};
    struct nl_msg *msg = nlmsg_alloc_simple(family, flags);
    if (msg && nlmsg_append(msg, (void *)&head, sizeof head, NLMSG_ALIGNTO)) {
        nlmsg_free(msg);
        msg = NULL;
    }
    return msg;
}

/* Send it (freed), and let each answer be taken by take. */
static int exchange(struct nl_sock *sock, struct nl_msg *msg,
                    nl_recvmsg_msg_cb_t take, void *arg)
{
    if (!msg)
        return -NLE_NOMEM;
    (void)nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take, arg);
    int r = nl_send_auto(sock, msg);
    nlmsg_free(msg);
    return r < 0 ? r : nl_recvmsgs_default(sock);
}

static int take_family(struct nl_msg *msg, void *arg)
{
    struct nlattr *tb[CTRL_ATTR_MAX + 1];
    if (nlmsg_parse(nlmsg_hdr(msg), GENL_HDRLEN, tb, CTRL_ATTR_MAX, NULL) >=
            0 &&
        tb[CTRL_ATTR_FAMILY_ID])
        *(int *)arg = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
    return NL_OK;
}

static enum err find_family(struct nl_sock *sock, int *family, struct why *why)
{
    struct nl_msg *msg = begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0);
    *family = 0;
    if (msg)
        (void)nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, TCP_METRICS_GENL_NAME);
    int r = exchange(sock, msg, take_family, family);
    if (r < 0 || !*family)
        return err_set(why, ERR_UNSUPPORTED, "this kernel has no tcp_metrics");
    /* The answer's acknowledgement. */
    (void)nl_wait_for_ack(sock);
    return ERR_OK;
}

static int take_entry(struct nl_msg *msg, void *arg)
{
    struct entries *found = arg;
    struct nlattr *tb[TCP_METRICS_ATTR_MAX + 1];
    if (nlmsg_parse(nlmsg_hdr(msg), GENL_HDRLEN, tb, TCP_METRICS_ATTR_MAX,
                    NULL) < 0 ||
        !tb[TCP_METRICS_ATTR_ADDR_IPV4] || !tb[TCP_METRICS_ATTR_SADDR_IPV4])
        return NL_OK;
    uint32_t own = nla_get_u32(tb[TCP_METRICS_ATTR_SADDR_IPV4]);
    uint32_t peer = nla_get_u32(tb[TCP_METRICS_ATTR_ADDR_IPV4]);
    if (own == found->own && (!found->peer || peer == found->peer) &&
        found->n < AT_ONCE)
        found->to[found->n++] = peer;
    return NL_OK;
}

static int forget(struct nl_sock *sock, int family, uint32_t own, uint32_t peer)
{
    struct nl_msg *msg =
        begin(family, TCP_METRICS_CMD_DEL, TCP_METRICS_GENL_VERSION, NLM_F_ACK);
    if (!msg)
        return -NLE_NOMEM;
    (void)nla_put_u32(msg, TCP_METRICS_ATTR_ADDR_IPV4, peer);
    (void)nla_put_u32(msg, TCP_METRICS_ATTR_SADDR_IPV4, own);
    int r = nl_send_sync(sock, msg); /* frees it */
    /* It may have aged away meanwhile. */
    return r == -NLE_OBJ_NOTFOUND ? 0 : r;
}

enum err tcp_metrics_forget(const char *own, const char *peer, unsigned *n,
                            struct why *why)
{
    struct entries found = {.n = 0};
    struct nl_sock *sock = NULL;
    int family = 0;
    *n = 0;
    if (inet_pton(AF_INET, own, &found.own) != 1 ||
        (*peer && inet_pton(AF_INET, peer, &found.peer) != 1))
        return err_set(why, ERR_INVALID, "tcp_metrics of \"%s\", \"%s\"", own,
                       peer);
    enum err e = netlink_open(&sock, NETLINK_GENERIC, why);
    if (!e)
        e = find_family(sock, &family, why);
    for (unsigned round = 0; !e && round < ROUNDS_MAX; round++) {
        found.n = 0;
        int r = exchange(sock,
                         begin(family, TCP_METRICS_CMD_GET,
                               TCP_METRICS_GENL_VERSION, NLM_F_DUMP),
                         take_entry, &found);
        for (unsigned i = 0; r >= 0 && i < found.n; i++)
            r = forget(sock, family, found.own, found.to[i]);
        if (r < 0)
            e = netlink_error(why, r, "tcp_metrics");
        else
            *n += found.n;
        if (found.n < AT_ONCE)
            break;
    }
    nl_socket_free(sock);
    return e;
}
