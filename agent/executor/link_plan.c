/* What a spec asks of its link, checked. */
#include <stdio.h>
#include <string.h>

#include "agent/executor/link.h"
#include "common/clock.h"

#define RATE_MAX_BIT   17000000000ull   /* libnl keeps bytes/s in an int */
#define LATENCY_NS     (10 * NS_PER_MS) /* of tbf where none is given */
#define LATENCY_MAX_NS (60 * NS_PER_S)
#define BURST_BYTES    32768u /* as in the reference runs */
#define MTU_MIN        576u   /* RFC 791: what IPv4 must carry */
#define VETH_MTU       1500u
#define VETH_MTU_MAX   65535u

static enum err plan_loopback(const struct link_plan *plan, struct why *why)
{
    if (plan->rate_bit || plan->burst_bytes || plan->latency_ns ||
        plan->delay_ns)
        return err_set(why, ERR_UNSUPPORTED,
                       "link loopback has no rate, burst, latency or delay; "
                       "use a veth level for them");
    return ERR_OK;
}

static enum err plan_ethernet(const struct link_plan *plan, struct why *why)
{
    if (plan->mtu || plan->rate_bit || plan->burst_bytes || plan->latency_ns ||
        plan->delay_ns || plan->offloads != LINK_OFFLOADS_AS_IS)
        return err_set(why, ERR_UNSUPPORTED,
                       "link ethernet is the machine's own, as it is: no mtu, "
                       "rate, burst, latency, delay or offloads");
    return ERR_OK;
}

static enum err plan_numbers(const struct link_plan *plan, struct why *why)
{
    uint32_t mtu_max = plan->kind == LINK_VETH ? VETH_MTU_MAX : 65536;
    if (plan->mtu && (plan->mtu < MTU_MIN || plan->mtu > mtu_max))
        return err_set(why, ERR_INVALID, "link: mtu=%u; accepted: %u to %u",
                       plan->mtu, MTU_MIN, mtu_max);
    if (plan->rate_bit > RATE_MAX_BIT ||
        (plan->rate_bit && plan->rate_bit < 8000))
        return err_set(why, ERR_INVALID,
                       "link: rate=%llubit; accepted: 8kbit to 17gbit",
                       (unsigned long long)plan->rate_bit);
    if (plan->burst_bytes > INT32_MAX || plan->latency_ns > LATENCY_MAX_NS ||
        plan->delay_ns > LATENCY_MAX_NS)
        return err_set(why, ERR_INVALID,
                       "link: accepted are a burst below 2 GiB, a latency and "
                       "a delay of at most 60 s");
    if (!plan->rate_bit && (plan->burst_bytes || plan->latency_ns))
        return err_set(why, ERR_INVALID,
                       "link: burst and latency belong to a rate");
    return ERR_OK;
}

enum err link_plan_make(struct link_plan *plan, const struct trial_spec *spec,
                        struct why *why)
{
    *plan = (struct link_plan){.mtu = spec->link_mtu,
                               .rate_bit = spec->link_rate_bit,
                               .latency_ns = spec->link_latency_ns,
                               .delay_ns = spec->link_delay_ns,
                               .burst_bytes = spec->link_burst_bytes};
    if (!strcmp(spec->link_kind, "veth"))
        plan->kind = LINK_VETH;
    else if (!strcmp(spec->link_kind, "ethernet"))
        plan->kind = LINK_ETHERNET;
    else if (strcmp(spec->link_kind, "loopback") != 0)
        return err_set(why, ERR_INVALID,
                       "link \"%.15s\"; accepted: loopback, veth, ethernet",
                       spec->link_kind);
    if (!strcmp(spec->link_offloads, "on"))
        plan->offloads = LINK_OFFLOADS_ON;
    else if (!strcmp(spec->link_offloads, "off"))
        plan->offloads = LINK_OFFLOADS_OFF;
    else if (spec->link_offloads[0])
        return err_set(why, ERR_INVALID,
                       "link: offloads=%.4s; accepted: on, off",
                       spec->link_offloads);
    enum err e = ERR_OK;
    if (plan->kind == LINK_LOOPBACK)
        e = plan_loopback(plan, why);
    else if (plan->kind == LINK_ETHERNET)
        e = plan_ethernet(plan, why);
    if (!e)
        e = plan_numbers(plan, why);
    if (!e && plan->rate_bit) {
        plan->burst_bytes = plan->burst_bytes ? plan->burst_bytes : BURST_BYTES;
        plan->latency_ns = plan->latency_ns ? plan->latency_ns : LATENCY_NS;
    }
    if (!e && plan->kind == LINK_VETH && !plan->mtu)
        plan->mtu = VETH_MTU;
    return e;
}
