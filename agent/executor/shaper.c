#include "agent/executor/shaper.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/netlink.h"

#define TICK_NS       64u /* the kernel's unit of time here: PSCHED_SHIFT */
#define HANDLE        0x10000u /* "1:" */
#define DELAY_PACKETS 100000u  /* that may wait out a delay at one time */

/* Set -------------------------------------------------------------------- */

static int put_tbf(struct nl_msg *msg, const struct shaper *s)
{
    const struct tc_tbf_qopt tbf = {
        .rate = {.rate = (uint32_t)s->rate_bytes_s,
                 .linklayer = TC_LINKLAYER_ETHERNET},
        .limit = s->limit_bytes};
    struct nlattr *nest = nla_nest_start(msg, TCA_OPTIONS);
    if (!nest || nla_put(msg, TCA_TBF_PARMS, sizeof tbf, &tbf) ||
        nla_put_u32(msg, TCA_TBF_BURST, s->burst_bytes))
        return -NLE_NOMEM;
    return nla_nest_end(msg, nest);
}

static int put_netem(struct nl_msg *msg, const struct shaper *s)
{
    const struct tc_netem_qopt netem = {
        .latency = (uint32_t)((s->delay_ns + TICK_NS - 1) / TICK_NS),
        .limit = DELAY_PACKETS};
    return nla_put(msg, TCA_OPTIONS, sizeof netem, &netem);
}

enum err shaper_add(struct nl_sock *sock, int ifindex,
                    const struct shaper *shaper, struct why *why)
{
    struct tcmsg head = {.tcm_family = AF_UNSPEC,
                         .tcm_ifindex = ifindex,
                         .tcm_handle = HANDLE,
                         .tcm_parent = TC_H_ROOT};
    bool rate = shaper->rate_bytes_s;
    struct nl_msg *msg =
        nlmsg_alloc_simple(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL);
    int r =
        msg ? nlmsg_append(msg, &head, sizeof head, NLMSG_ALIGNTO) : -NLE_NOMEM;
    if (r >= 0)
        r = nla_put_string(msg, TCA_KIND, rate ? "tbf" : "netem");
    if (r >= 0)
        r = rate ? put_tbf(msg, shaper) : put_netem(msg, shaper);
    if (r >= 0) {
        r = nl_send_sync(sock, msg); /* frees it */
        msg = NULL;
    }
    nlmsg_free(msg);
    return r < 0 ? netlink_error(why, r, rate ? "tbf" : "netem") : ERR_OK;
}

/* Read ------------------------------------------------------------------- */

struct reading {
    int ifindex;
    struct shaper *out;
};

static void take_tbf(struct shaper *out, struct nlattr *options)
{
    struct nlattr *tb[TCA_TBF_MAX + 1];
    struct tc_tbf_qopt tbf = {.limit = 0};
    if (nla_parse_nested(tb, TCA_TBF_MAX, options, NULL) < 0 ||
        !tb[TCA_TBF_PARMS])
        return;
    (void)nla_memcpy(&tbf, tb[TCA_TBF_PARMS], sizeof tbf);
    out->rate_bytes_s = tbf.rate.rate;
    out->limit_bytes = tbf.limit;
    /* At most 2^32 * 64 ns of at most 2^32 bytes/s: a double has room. */
    out->burst_bytes =
        (uint32_t)((double)tbf.buffer * TICK_NS * (double)tbf.rate.rate / 1e9);
}

static void take_netem(struct shaper *out, struct nlattr *options)
{
    struct tc_netem_qopt netem = {.limit = 0};
    (void)nla_memcpy(&netem, options, sizeof netem);
    out->delay_ns = (uint64_t)netem.latency * TICK_NS;
}

static int take(struct nl_msg *msg, void *arg)
{
    struct reading *r = arg;
    struct nlmsghdr *h = nlmsg_hdr(msg);
    struct nlattr *tb[TCA_MAX + 1];
    const struct tcmsg *head = nlmsg_data(h);
    if (h->nlmsg_type != RTM_NEWQDISC ||
        nlmsg_parse(h, sizeof *head, tb, TCA_MAX, NULL) < 0 ||
        head->tcm_ifindex != r->ifindex || head->tcm_parent != TC_H_ROOT ||
        !tb[TCA_KIND])
        return NL_OK;
    (void)nla_strlcpy(r->out->kind, tb[TCA_KIND], sizeof r->out->kind);
    if (!strcmp(r->out->kind, "tbf") && tb[TCA_OPTIONS])
        take_tbf(r->out, tb[TCA_OPTIONS]);
    else if (!strcmp(r->out->kind, "netem") && tb[TCA_OPTIONS])
        take_netem(r->out, tb[TCA_OPTIONS]);
    return NL_OK;
}

enum err shaper_read(struct nl_sock *sock, int ifindex, struct shaper *out,
                     struct why *why)
{
    struct tcmsg head = {.tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex};
    struct reading reading = {ifindex, out};
    *out = (struct shaper){.kind = "none"};
    (void)nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take, &reading);
    int r = nl_send_simple(sock, RTM_GETQDISC, NLM_F_DUMP, &head, sizeof head);
    if (r >= 0)
        r = nl_recvmsgs_default(sock);
    (void)nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_DEFAULT, NULL, NULL);
    return r < 0 ? netlink_error(why, r, "read queue disciplines") : ERR_OK;
}

/* Compare ---------------------------------------------------------------- */

static bool near(uint64_t a, uint64_t b, uint64_t most)
{
    return (a > b ? a - b : b - a) <= most;
}

enum err shaper_compare(const struct shaper *asked, const struct shaper *got,
                        struct why *why)
{
    char has[160], want[160];
    struct shaper s = *asked;
    bool rate = asked->rate_bytes_s;
    (void)snprintf(s.kind, sizeof s.kind, "%s", rate ? "tbf" : "netem");
    /* A tick's worth, and what the divisions lose. */
    uint64_t spare = asked->rate_bytes_s * TICK_NS / 1000000000u + 2;
    bool same = !strcmp(got->kind, s.kind) &&
                got->rate_bytes_s == asked->rate_bytes_s &&
                got->limit_bytes == asked->limit_bytes &&
                near(got->burst_bytes, asked->burst_bytes, spare) &&
                near(got->delay_ns, asked->delay_ns, TICK_NS);
    if (same)
        return ERR_OK;
    shaper_show(got, has, sizeof has);
    shaper_show(&s, want, sizeof want);
    return err_set(why, ERR_INVALID, "has \"%s\", not \"%s\"", has, want);
}

void shaper_show(const struct shaper *s, char *buf, size_t size)
{
    if (!strcmp(s->kind, "tbf"))
        (void)snprintf(buf, size, "tbf rate %lluB/s burst %u limit %u",
                       (unsigned long long)s->rate_bytes_s, s->burst_bytes,
                       s->limit_bytes);
    else if (!strcmp(s->kind, "netem"))
        (void)snprintf(buf, size, "netem delay %lluns",
                       (unsigned long long)s->delay_ns);
    else
        (void)snprintf(buf, size, "%s", s->kind);
}
