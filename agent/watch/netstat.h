/* /proc/net/snmp and /proc/net/netstat: pairs of lines, names above values. */
#ifndef PITWALL_AGENT_WATCH_NETSTAT_H
#define PITWALL_AGENT_WATCH_NETSTAT_H

#include <stddef.h>
#include <stdint.h>

/* Values of the group's ("Tcp", "TcpExt") counters of these names, 0 for one
 * that is missing or negative. Returns how many were found. */
size_t netstat_parse(const char *text, size_t len, const char *group,
                     const char *const *names, uint64_t *values, size_t n);

#endif
