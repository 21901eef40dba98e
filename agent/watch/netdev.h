/* /proc/net/dev: the counters of every interface of the own namespace. */
#ifndef PITWALL_AGENT_WATCH_NETDEV_H
#define PITWALL_AGENT_WATCH_NETDEV_H

#include <stddef.h>
#include <stdint.h>

#define NETDEV_MAX 32 /* interfaces; those beyond are not watched */

struct netdev {
    char name[16]; /* IFNAMSIZ */
    uint64_t rx_bytes, rx_packets, rx_errors, rx_dropped;
    uint64_t tx_bytes, tx_packets, tx_errors, tx_dropped;
};

/* Read the text into out[max]; how many there are. Lines of another shape
 * (also the two of the heading) are passed over. */
size_t netdev_parse(const char *text, size_t len, struct netdev *out,
                    size_t max);

#endif
