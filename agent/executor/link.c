#include "agent/executor/link.h"

#include <arpa/inet.h>
#include <linux/if.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "agent/executor/ethtool.h"
#include "agent/executor/netlink.h"
#include "agent/executor/nic.h"
#include "agent/executor/shaper.h"
#include "common/clock.h"

#define CARRY_NS NS_PER_S /* until a link must carry */
#define TRY_MTU  1500u

/* Inside a namespace ------------------------------------------------------ */

static enum err find(struct nl_sock *sock, const char *dev,
                     struct rtnl_link **link, struct why *why)
{
    int r = rtnl_link_get_kernel(sock, 0, dev, link);
    return r < 0 ? netlink_error(why, r, dev) : ERR_OK;
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
            e = netlink_error(why, r, dev);
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
    return r < 0 ? netlink_error(why, r, "make a veth pair") : ERR_OK;
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
    return r < 0 ? netlink_error(why, r, address) : ERR_OK;
}

/* Read back --------------------------------------------------------------- */

/* Wait until dev carries, then note its mtu and queue discipline. */
static enum err read_link(struct nl_sock *sock, struct link_end *end,
                          struct shaper *queue, struct why *why)
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
        if ((flags & IFF_UP) && (flags & IFF_LOWER_UP)) {
            e = shaper_read(sock, ifindex, queue, why);
            shaper_show(queue, end->qdisc, sizeof end->qdisc);
            return e;
        }
        if (clock_mono_ns() >= due_ns)
            return err_set(why, ERR_TIMEOUT, "%s does not carry after 1 s",
                           end->dev);
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    }
}

/* What the end of this side queues by: the shaper on load's egress, a delay on
 * the target's. */
static struct shaper shaper_of(const struct link_plan *plan, bool load)
{
    if (load && plan->rate_bit)
        return (struct shaper){.rate_bytes_s = plan->rate_bit / 8,
                               .burst_bytes = plan->burst_bytes,
                               .limit_bytes = plan->queue_bytes};
    return (struct shaper){.delay_ns = load ? 0 : plan->delay_ns};
}

static bool queues(const struct shaper *s)
{
    return s->rate_bytes_s || s->delay_ns;
}

static enum err compare(const struct link_plan *plan,
                        const struct link_end *end, unsigned n_on,
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

static enum err add_shaper(struct nl_sock *sock, const char *dev,
                           const struct shaper *shaper, struct why *why)
{
    struct rtnl_link *link = NULL;
    enum err e = find(sock, dev, &link, why);
    if (e)
        return e;
    e = shaper_add(sock, rtnl_link_get_ifindex(link), shaper, why);
    rtnl_link_put(link);
    return e;
}

static enum err dress(struct nl_sock *sock, struct work *w, struct why *why)
{
    const struct shaper shaper = shaper_of(&w->plan, w->load);
    const struct link_plan *plan = &w->plan;
    const char *dev = w->end.dev;
    bool veth = plan->kind == LINK_VETH;
    enum err e = ERR_OK;
    if (veth)
        e = bring_up(sock, "lo", 0, why);
    if (!e && plan->offloads != LINK_OFFLOADS_AS_IS)
        e = ethtool_set(dev, plan->offloads == LINK_OFFLOADS_ON, why);
    if (!e && veth && queues(&shaper))
        e = add_shaper(sock, dev, &shaper, why);
    if (!e && veth)
        e = add_address(sock, dev, w->end.address, why);
    if (!e)
        e = bring_up(sock, dev, plan->mtu, why);
    return e;
}

static enum err read_back(struct nl_sock *sock, struct work *w, struct why *why)
{
    const struct shaper shaper = shaper_of(&w->plan, w->load);
    struct link_end *end = &w->end;
    struct shaper queue;
    unsigned n_on = 0, n_off = 0;
    enum err e = read_link(sock, end, &queue, why);
    if (!e)
        e = ethtool_get(end->dev, end->offloads, sizeof end->offloads, &n_on,
                        &n_off, why);
    if (!e)
        e = compare(&w->plan, end, n_on, why);
    if (!e && w->plan.kind == LINK_VETH && queues(&shaper)) {
        e = shaper_compare(&shaper, &queue, why);
        e = e ? err_wrap(why, e, "%s", end->dev) : ERR_OK;
    }
    return e;
}

static enum err work_here(void *arg, struct why *why)
{
    struct work *w = arg;
    struct nl_sock *sock = NULL;
    enum err e = netlink_open(&sock, NETLINK_ROUTE, why);
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
        e = read_back(sock, w, why);
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
    const struct shaper *shaper = arg;
    struct nl_sock *sock = NULL;
    enum err e = netlink_open(&sock, NETLINK_ROUTE, why);
    if (!e)
        e = add_shaper(sock, "lo", shaper, why);
    nl_socket_free(sock);
    return e;
}

bool link_has_rate(const struct cage *scratch)
{
    struct shaper rate = {
        .rate_bytes_s = 1000000, .burst_bytes = 4096, .limit_bytes = 14096};
    struct why why;
    return !cage_run(scratch, try_qdisc, &rate, sizeof rate, &why);
}

bool link_has_delay(const struct cage *scratch)
{
    struct shaper delay = {.delay_ns = NS_PER_MS};
    struct why why;
    return !cage_run(scratch, try_qdisc, &delay, sizeof delay, &why);
}

static enum err try_veth(void *arg, struct why *why)
{
    struct nl_sock *sock = NULL;
    (void)arg;
    enum err e = netlink_open(&sock, NETLINK_ROUTE, why);
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
