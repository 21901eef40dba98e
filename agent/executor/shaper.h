/* The queue discipline at the root of a link's end: tbf, which lets a rate
 * through, or netem, which delays. Set, read back from the kernel, compared.
 *
 * The messages are our own: libnl counts a burst in whole microseconds, and
 * where /proc/net/psched cannot be seen, as by a helper in a cage, takes the
 * kernel's 64 ns for one: a fifteenth of it would be in effect. */
#ifndef PITWALL_AGENT_EXECUTOR_SHAPER_H
#define PITWALL_AGENT_EXECUTOR_SHAPER_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct nl_sock;

/* What is asked for (0: not), one of rate and delay; or what was read back. */
struct shaper {
    char kind[16]; /* "tbf", "netem"; read back: others, "none" */
    uint64_t rate_bytes_s, delay_ns;
    uint32_t burst_bytes, limit_bytes; /* of the rate */
};

/* Put it at the root of an interface, which has none of ours.
 * Errors  ERR_NOTFOUND: this kernel has no such discipline; as netlink_error.
 */
CHECKED enum err shaper_add(struct nl_sock *sock, int ifindex,
                            const struct shaper *shaper, struct why *why);

/* Read what stands at the root of an interface. */
CHECKED enum err shaper_read(struct nl_sock *sock, int ifindex,
                             struct shaper *out, struct why *why);

/* Whether that is what was asked for: kind, rate and limit are, burst and delay
 * within the 64 ns (of the rate) that the kernel tells them in. ERR_INVALID
 * names what differs. Pure. */
CHECKED enum err shaper_compare(const struct shaper *asked,
                                const struct shaper *got, struct why *why);

/* "tbf rate 25000000B/s burst 32768 limit 282768", into buf. Pure. */
void shaper_show(const struct shaper *shaper, char *buf, size_t size);

#endif
