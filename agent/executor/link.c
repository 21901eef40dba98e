#include "agent/executor/link.h"

#include <arpa/inet.h>
#include <linux/if.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/qdisc/netem.h>
#include <netlink/route/qdisc/tbf.h>
#include <netlink/route/tc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "agent/executor/ethtool.h"
#include "agent/executor/nic.h"
#include "common/clock.h"

#define CARRY_NS NS_PER_S /* until a link must carry */
#define TRY_NS   (10 * NS_PER_MS)
#define TRY_MTU  1500u

static enum err from_nl(struct why *why, int code, const char *what)
{
    static const struct {
        int nl;
        enum err e;
    } table[] = {{NLE_PERM, ERR_PERMISSION},
                 {NLE_NOACCESS, ERR_PERMISSION},
                 {NLE_EXIST, ERR_EXISTS},
                 {NLE_OBJ_NOTFOUND, ERR_NOTFOUND},
                 {NLE_NODEV, ERR_NOTFOUND},
                 {NLE_NOMEM, ERR_NOMEM},
                 {NLE_BUSY, ERR_BUSY},
                 {NLE_RANGE, ERR_RANGE},
                 {NLE_OPNOTSUPP, ERR_UNSUPPORTED}};
    enum err e = ERR_IO;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (-code == table[i].nl || code == table[i].nl)
            e = table[i].e;
    return err_set(why, e, "%s: %s", what, nl_geterror(code));
}

/* Inside a namespace ------------------------------------------------------ */

static enum err open_route(struct nl_sock **sock, struct why *why)
{
    *sock = nl_socket_alloc();
    if (!*sock)
        return err_set(why, ERR_NOMEM, "no memory for a netlink socket");
    int r = nl_connect(*sock, NETLINK_ROUTE);
    return r < 0 ? from_nl(why, r, "netlink") : ERR_OK;
}

static enum err find(struct nl_sock *sock, const char *dev,
                     struct rtnl_link **link, struct why *why)
{
    int r = rtnl_link_get_kernel(sock, 0, dev, link);
    return r < 0 ? from_nl(why, r, dev) : ERR_OK;
}

/* Set the mtu (0: leave it) and bring dev up. */
static enum err bring_up(struct nl_sock *sock, const char *dev, uint32_t mtu,
                         struct why *why)
{
    struct rtnl_link *link = NULL, *change = rtnl_link_alloc();
    enum err e = change ? find(sock, dev, &link, why)
                        : err_set(why, ERR_NOMEM, "no memory for a link");
    if (!e) {
        rtnl_link_set_flags(change, IFF_UP);
        if (mtu)
            rtnl_link_set_mtu(change, mtu);
        int r = rtnl_link_change(sock, link, change, 0);
        if (r < 0)
            e = from_nl(why, r, dev);
    }
    if (link)
        rtnl_link_put(link);
    if (change)
        rtnl_link_put(change);
    return e;
}

static enum err make_pair(struct nl_sock *sock, uint32_t mtu, int peer_net,
                          struct why *why)
{
    struct rtnl_link *link = rtnl_link_veth_alloc();
    if (!link)
        return err_set(why, ERR_NOMEM, "no memory for a link");
    struct rtnl_link *peer = rtnl_link_veth_get_peer(link);
    rtnl_link_set_name(link, "veth0");
    rtnl_link_set_name(peer, "veth1");
    rtnl_link_set_mtu(link, mtu);
    rtnl_link_set_mtu(peer, mtu);
    if (peer_net >= 0)
        rtnl_link_set_ns_fd(peer, peer_net);
    int r = rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL);
    rtnl_link_put(peer);
    rtnl_link_veth_release(link);
    return r < 0 ? from_nl(why, r, "make a veth pair") : ERR_OK;
}

static enum err add_address(struct nl_sock *sock, const char *dev,
                            const char *address, struct why *why)
{
    struct rtnl_link *link = NULL;
    struct in_addr in;
    enum err e = find(sock, dev, &link, why);
    if (e)
        return e;
    struct rtnl_addr *a = rtnl_addr_alloc();
    struct nl_addr *local = inet_pton(AF_INET, address, &in) == 1
                                ? nl_addr_build(AF_INET, &in, sizeof in)
                                : NULL;
    int r = -NLE_NOMEM;
    if (a && local) {
        nl_addr_set_prefixlen(local, 24);
        rtnl_addr_set_ifindex(a, rtnl_link_get_ifindex(link));
        r = rtnl_addr_set_local(a, local);
        if (r >= 0)
            r = rtnl_addr_add(sock, a, 0);
    }
    if (local)
        nl_addr_put(local);
    if (a)
        rtnl_addr_put(a);
    rtnl_link_put(link);
    return r < 0 ? from_nl(why, r, address) : ERR_OK;
}

/* Put a queue discipline of kind at dev's root; rate_bit for tbf, delay_ns for
 * netem. */
static enum err add_qdisc(struct nl_sock *sock, const char *dev,
                          const char *kind, const struct link_plan *plan,
                          struct why *why)
{
    struct rtnl_link *link = NULL;
    enum err e = find(sock, dev, &link, why);
    if (e)
        return e;
    struct rtnl_qdisc *q = rtnl_qdisc_alloc();
    int r = q ? rtnl_tc_set_kind(TC_CAST(q), kind) : -NLE_NOMEM;
    if (r >= 0) {
        rtnl_tc_set_link(TC_CAST(q), link);
        rtnl_tc_set_parent(TC_CAST(q), TC_H_ROOT);
        rtnl_tc_set_handle(TC_CAST(q), TC_HANDLE(1, 0));
        if (!strcmp(kind, "tbf")) {
            int rate = (int)(plan->rate_bit / 8);
            double queue = (double)rate * (double)plan->latency_ns / 1e9 +
                           (double)plan->burst_bytes;
            rtnl_qdisc_tbf_set_rate(q, rate, (int)plan->burst_bytes, 0);
            rtnl_qdisc_tbf_set_limit(q, queue < INT32_MAX ? (int)queue
                                                          : INT32_MAX);
        } else if (!strcmp(kind, "netem")) {
            rtnl_netem_set_delay(q, (int)(plan->delay_ns / 1000));
        }
        r = rtnl_qdisc_add(sock, q, NLM_F_CREATE | NLM_F_EXCL);
    }
    if (q)
        rtnl_qdisc_put(q);
    rtnl_link_put(link);
    return r < 0 ? from_nl(why, r, kind) : ERR_OK;
}

/* Read back --------------------------------------------------------------- */

static void show_qdisc(struct rtnl_qdisc *q, char *buf, size_t size)
{
    const char *kind = rtnl_tc_get_kind(TC_CAST(q));
    if (kind && !strcmp(kind, "tbf"))
        (void)snprintf(buf, size, "tbf rate %dB/s burst %d limit %d",
                       rtnl_qdisc_tbf_get_rate(q),
                       rtnl_qdisc_tbf_get_rate_bucket(q),
                       rtnl_qdisc_tbf_get_limit(q));
    else if (kind && !strcmp(kind, "netem"))
        (void)snprintf(buf, size, "netem delay %dus", rtnl_netem_get_delay(q));
    else
        (void)snprintf(buf, size, "%s", kind ? kind : "none");
}

static enum err read_qdisc(struct nl_sock *sock, int ifindex, char *buf,
                           size_t size, struct why *why)
{
    struct nl_cache *cache = NULL;
    int r = rtnl_qdisc_alloc_cache(sock, &cache);
    if (r < 0)
        return from_nl(why, r, "read queue disciplines");
    struct rtnl_qdisc *q = rtnl_qdisc_get_by_parent(cache, ifindex, TC_H_ROOT);
    (void)snprintf(buf, size, "none");
    if (q) {
        show_qdisc(q, buf, size);
        rtnl_qdisc_put(q);
    }
    nl_cache_free(cache);
    return ERR_OK;
}

/* Wait until dev carries, then note its mtu and queue discipline. */
static enum err read_link(struct nl_sock *sock, struct link_end *end,
                          struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + CARRY_NS;
    for (;;) {
        struct rtnl_link *link = NULL;
        enum err e = find(sock, end->dev, &link, why);
        if (e)
            return e;
        unsigned flags = rtnl_link_get_flags(link);
        int ifindex = rtnl_link_get_ifindex(link);
        end->mtu = rtnl_link_get_mtu(link);
        rtnl_link_put(link);
        if ((flags & IFF_UP) && (flags & IFF_LOWER_UP))
            return read_qdisc(sock, ifindex, end->qdisc, sizeof end->qdisc,
                              why);
        if (clock_mono_ns() >= due_ns)
            return err_set(why, ERR_TIMEOUT, "%s does not carry after 1 s",
                           end->dev);
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    }
}

static enum err compare(const struct link_plan *plan,
                        const struct link_end *end, bool load, unsigned n_on,
                        struct why *why)
{
    if (plan->mtu && end->mtu != plan->mtu)
        return err_set(why, ERR_INVALID, "mtu of %s is %u, not %u", end->dev,
                       end->mtu, plan->mtu);
    if (plan->offloads == LINK_OFFLOADS_OFF && n_on)
        return err_set(why, ERR_UNSUPPORTED,
                       "offloads of %s could not be switched off: %s", end->dev,
                       end->offloads);
    if (plan->offloads == LINK_OFFLOADS_ON && !n_on)
        return err_set(why, ERR_UNSUPPORTED,
                       "offloads of %s could not be switched on", end->dev);
    char want[64];
    (void)snprintf(want, sizeof want, "tbf rate %lluB/s ",
                   (unsigned long long)plan->rate_bit / 8);
    if (load && plan->rate_bit && strncmp(end->qdisc, want, strlen(want)) != 0)
        return err_set(why, ERR_INVALID, "%s has \"%s\", not \"%s...\"",
                       end->dev, end->qdisc, want);
    return ERR_OK;
}

/* Work in a cage ---------------------------------------------------------- */

enum step { STEP_PAIR, STEP_DRESS, STEP_READ };

struct work {
    enum step step;
    struct link_plan plan;
    bool load;    /* which end */
    int peer_net; /* PAIR */
    struct link_end end;
};

static enum err dress(struct nl_sock *sock, struct work *w, struct why *why)
{
    const struct link_plan *plan = &w->plan;
    const char *dev = w->end.dev;
    bool veth = plan->kind == LINK_VETH;
    enum err e = ERR_OK;
    if (veth)
        e = bring_up(sock, "lo", 0, why);
    if (!e && plan->offloads != LINK_OFFLOADS_AS_IS)
        e = ethtool_set(dev, plan->offloads == LINK_OFFLOADS_ON, why);
    if (!e && veth && w->load && plan->rate_bit)
        e = add_qdisc(sock, dev, "tbf", plan, why);
    if (!e && veth && !w->load && plan->delay_ns)
        e = add_qdisc(sock, dev, "netem", plan, why);
    if (!e && veth)
        e = add_address(sock, dev, w->end.address, why);
    if (!e)
        e = bring_up(sock, dev, plan->mtu, why);
    return e;
}

static enum err work_here(void *arg, struct why *why)
{
    struct work *w = arg;
    struct nl_sock *sock = NULL;
    unsigned n_on = 0, n_off = 0;
    enum err e = open_route(&sock, why);
    if (e)
        goto out;
    switch (w->step) {
    case STEP_PAIR:
        e = make_pair(sock, w->plan.mtu, w->peer_net, why);
        break;
    case STEP_DRESS:
        e = dress(sock, w, why);
        break;
    case STEP_READ:
        e = read_link(sock, &w->end, why);
        if (!e)
            e = ethtool_get(w->end.dev, w->end.offloads, sizeof w->end.offloads,
                            &n_on, &n_off, why);
        if (!e)
            e = compare(&w->plan, &w->end, w->load, n_on, why);
        break;
    }
out:
    nl_socket_free(sock);
    return e;
}

static enum err do_step(enum step step, struct work *w, const struct cage *cage,
                        struct why *why)
{
    w->step = step;
    return cage_run(cage, work_here, w, sizeof *w, why);
}

static enum err make_loopback(const struct link_plan *plan,
                              const struct cage *cage, struct link_state *state,
                              struct why *why)
{
    struct work w = {.plan = *plan,
                     .peer_net = -1,
                     .end = {.dev = "lo", .address = "127.0.0.1"}};
    enum err e = ERR_OK;
    if (cage->mode == CAGE_NAMESPACES)
        e = do_step(STEP_DRESS, &w, cage, why);
    else if (plan->mtu || plan->offloads != LINK_OFFLOADS_AS_IS)
        e = err_set(why, ERR_UNSUPPORTED,
                    "mtu and offloads of loopback need a network namespace");
    if (!e)
        e = do_step(STEP_READ, &w, cage, why);
    state->target = state->load = w.end;
    return e;
}

static enum err make_veth(const struct link_plan *plan,
                          const struct cage *target, const struct cage *load,
                          struct link_state *state, struct why *why)
{
    if (target->mode != CAGE_NAMESPACES || load->mode != CAGE_NAMESPACES)
        return err_set(why, ERR_UNSUPPORTED, "veth needs network namespaces");
    struct work t = {.plan = *plan,
                     .peer_net = load->net,
                     .end = {.dev = "veth0", .address = "10.77.0.1"}};
    struct work l = {.plan = *plan,
                     .load = true,
                     .peer_net = -1,
                     .end = {.dev = "veth1", .address = "10.77.0.2"}};
    enum err e = do_step(STEP_PAIR, &t, target, why);
    if (!e)
        e = do_step(STEP_DRESS, &t, target, why);
    if (!e)
        e = do_step(STEP_DRESS, &l, load, why);
    if (!e)
        e = do_step(STEP_READ, &t, target, why);
    if (!e)
        e = do_step(STEP_READ, &l, load, why);
    state->target = t.end;
    state->load = l.end;
    return e;
}

/* The machine's own interface: nothing is set, what is there is read. */
static enum err read_ethernet(const struct link_plan *plan,
                              const struct cage *target,
                              const struct cage *load, struct link_state *state,
                              struct why *why)
{
    bool is_load = target->init == 0;
    struct work w = {.plan = {.kind = LINK_ETHERNET},
                     .load = is_load,
                     .peer_net = -1,
                     .end = plan->own};
    enum err e = is_load ? nic_toward(plan->peer, &w.end, why) : ERR_OK;
    if (!e)
        e = do_step(STEP_READ, &w, is_load ? load : target, why);
    w.end.speed_mbit = nic_speed_mbit(w.end.dev);
    *(is_load ? &state->load : &state->target) = w.end;
    return e;
}

enum err link_make(const struct link_plan *plan, const struct cage *target,
                   const struct cage *load, struct link_state *state,
                   struct why *why)
{
    static const char *const names[] = {[LINK_LOOPBACK] = "loopback",
                                        [LINK_VETH] = "veth",
                                        [LINK_ETHERNET] = "ethernet"};
    enum err e = ERR_OK;
    *state = (struct link_state){0};
    switch (plan->kind) {
    case LINK_LOOPBACK:
        e = make_loopback(plan, target, state, why);
        break;
    case LINK_VETH:
        e = make_veth(plan, target, load, state, why);
        break;
    case LINK_ETHERNET:
        e = read_ethernet(plan, target, load, state, why);
        break;
    }
    return e ? err_wrap(why, e, "link %s", names[plan->kind]) : ERR_OK;
}

/* Probes ------------------------------------------------------------------ */

static enum err try_qdisc(void *arg, struct why *why)
{
    const struct link_plan plan = {.rate_bit = 8000000,
                                   .burst_bytes = 4096,
                                   .latency_ns = TRY_NS,
                                   .delay_ns = NS_PER_MS};
    struct nl_sock *sock = NULL;
    enum err e = open_route(&sock, why);
    if (!e)
        e = add_qdisc(sock, "lo", arg, &plan, why);
    nl_socket_free(sock);
    return e;
}

bool link_has_qdisc(const struct cage *scratch, const char *kind)
{
    char name[16];
    struct why why;
    (void)snprintf(name, sizeof name, "%s", kind);
    return !cage_run(scratch, try_qdisc, name, sizeof name, &why);
}

static enum err try_veth(void *arg, struct why *why)
{
    struct nl_sock *sock = NULL;
    (void)arg;
    enum err e = open_route(&sock, why);
    if (!e)
        e = make_pair(sock, TRY_MTU, -1, why);
    nl_socket_free(sock);
    return e;
}

bool link_has_veth(const struct cage *scratch)
{
    struct why why;
    return !cage_run(scratch, try_veth, NULL, 0, &why);
}
