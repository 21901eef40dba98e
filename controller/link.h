/* The grammar of the factor link: "loopback", "ethernet", or
 * "veth:mtu=1500+rate=200mbit+burst=32kb+latency=10ms+delay=1ms+offloads=off"
 * with any of the parts, in any order, each once, and "emulates=ethernet" among
 * them where it stands for that. */
#ifndef PITWALL_CONTROLLER_LINK_H
#define PITWALL_CONTROLLER_LINK_H

#include "controller/setup.h"

/* What stands for ethernet on one machine where that is asked for. The last
 * part sets nothing: it keeps a veth from passing for a plain one. */
#define LINK_EMULATION                                                         \
    "veth:mtu=1500+rate=1gbit+burst=32kb+offloads=off+emulates=ethernet"

/* Parse value into the link_* fields of spec. ERR_INVALID names the part, the
 * value and what is accepted. */
CHECKED enum err link_parse(const char *value, struct trial_spec *spec,
                            struct why *why);

/* nic.PARAM of link ethernet: "mtu", "offloads" (on, off: all that the device
 * can switch), "coalesce.rx-usecs" and its kin, or a feature as the kernel
 * spells it ("rx-gro": on, off). ERR_INVALID names what is accepted. */
CHECKED enum err link_nic(const char *param, const char *value,
                          struct trial_spec *spec, struct why *why);

#endif
