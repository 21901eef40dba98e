/* What a spec asks of its link, checked. */
#include <stdio.h>
#include <string.h>

#include "agent/executor/link.h"
#include "common/shape.h"

static bool shaped(const struct trial_spec *spec)
{
    return spec->link_rate_bit || spec->link_burst_bytes ||
           spec->link_latency_ns || spec->link_delay_ns;
}

static enum err plan_loopback(const struct trial_spec *spec, struct why *why)
{
    if (shaped(spec))
        return err_set(why, ERR_UNSUPPORTED,
                       "link loopback has no rate, burst, latency or delay; "
                       "use a veth level for them");
    return ERR_OK;
}

static enum err plan_ethernet(const struct trial_spec *spec, struct why *why)
{
    if (spec->link_mtu || shaped(spec) || spec->link_offloads[0])
        return err_set(why, ERR_UNSUPPORTED,
                       "link ethernet is the machine's own, as it is: no mtu, "
                       "rate, burst, latency, delay or offloads");
    return ERR_OK;
}

enum err link_plan_make(struct link_plan *plan, const struct trial_spec *spec,
                        struct why *why)
{
    *plan = (struct link_plan){.mtu = spec->link_mtu,
                               .rate_bit = spec->link_rate_bit,
                               .delay_ns = spec->link_delay_ns};
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
        e = plan_loopback(spec, why);
    else if (plan->kind == LINK_ETHERNET)
        e = plan_ethernet(spec, why);
    if (!e) {
        e = shape_check(spec, why);
        e = e ? err_wrap(why, e, "link") : ERR_OK;
    }
    if (e)
        return e;
    plan->burst_bytes = (uint32_t)shape_burst_bytes(spec);
    plan->queue_bytes = (uint32_t)shape_queue_bytes(spec);
    if (plan->kind == LINK_VETH && !plan->mtu)
        plan->mtu = SHAPE_MTU_DEFAULT;
    return ERR_OK;
}
