/* Facts of the namespace that a side of the trial ran in, read in it. */
#ifndef PITWALL_AGENT_WATCH_NSFACTS_H
#define PITWALL_AGENT_WATCH_NSFACTS_H

#include "agent/watch/emit.h"
#include "agent/watch/netdev.h"

/* Emit tcp_rmem, tcp_wmem, congestion (of proc_dir/sys/net) and mtu.IFACE of
 * links[n]. What cannot be read is left out. */
void nsfacts_emit(const char *proc_dir, const struct netdev *links, size_t n,
                  struct emit *emit);

#endif
