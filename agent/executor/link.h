/* Links between the two cages of an attempt: the owner of libnl-route, with
 * shaper.c and netlink.c.
 *
 * loopback: `lo` of the one network namespace that both cages share.
 * veth: a pair, veth0 (10.77.0.1/24) with the target, veth1 (10.77.0.2/24)
 * with the load. The shaper (tbf) stands on veth1's egress and so shapes what
 * load sends; a delay (netem) stands on veth0's, on the way of the answers.
 * ethernet: the machine's own interface toward the other side, which is on
 * another machine; nothing is set on it, what it is gets read. */
#ifndef PITWALL_AGENT_EXECUTOR_LINK_H
#define PITWALL_AGENT_EXECUTOR_LINK_H

#include "agent/executor/cage.h"
#include "common/spec.h"

enum link_kind { LINK_LOOPBACK, LINK_VETH, LINK_ETHERNET };

enum link_offloads { LINK_OFFLOADS_AS_IS, LINK_OFFLOADS_ON, LINK_OFFLOADS_OFF };

/* One end as it was read back. */
struct link_end {
    char dev[16];
    char address[24];
    uint32_t mtu;
    uint32_t speed_mbit; /* 0: not told */
    char qdisc[160];     /* as shaper_show prints it */
    char offloads[256];  /* those that are on */
};

struct link_plan {
    enum link_kind kind;
    uint32_t mtu; /* 0: the kind's default */
    uint64_t rate_bit, delay_ns;
    uint32_t burst_bytes, queue_bytes; /* of the rate's shaper */
    enum link_offloads offloads;
    struct link_end own; /* ethernet, target's side: device and address */
    char peer[64];       /* ethernet, load's side: the target's address */
};

struct link_state {
    struct link_end target, load;
};

/* What the spec asks for. ERR_UNSUPPORTED: what cannot be had on loopback or
 * ethernet; ERR_INVALID: an unknown kind, or numbers out of range. */
CHECKED enum err link_plan_make(struct link_plan *plan,
                                const struct trial_spec *spec, struct why *why);

/* Make the link between the cages (the same network namespace for loopback;
 * of ethernet there is only this side's, the other is CAGE_NONE),
 * wait until it carries, read everything back and compare.
 * Errors  the text names the setting; nothing needs undoing, since it goes
 *         with the cages. */
CHECKED enum err link_make(const struct link_plan *plan,
                           const struct cage *target, const struct cage *load,
                           struct link_state *state, struct why *why);

/* Whether this kernel has what a rate (tbf) or a delay (netem) takes; tries it
 * on the lo of a cage of its own. */
bool link_has_rate(const struct cage *scratch);
bool link_has_delay(const struct cage *scratch);

/* Whether a veth pair can be made inside the cage; tries it there. */
bool link_has_veth(const struct cage *scratch);

#endif
