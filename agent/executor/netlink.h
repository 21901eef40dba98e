/* The kernel's netlink as link.c and its kin use it: one socket, and what
 * libnl says as our errors. */
#ifndef PITWALL_AGENT_EXECUTOR_NETLINK_H
#define PITWALL_AGENT_EXECUTOR_NETLINK_H

#include "common/err.h"

struct nl_sock;

/* A socket of a protocol (NETLINK_ROUTE) in the process's network namespace.
 * Owns: *out, for netlink_close, also after a failure. */
CHECKED enum err netlink_open(struct nl_sock **out, int protocol,
                              struct why *why);

/* Close it; NULL is fine. */
void netlink_close(struct nl_sock *sock);

/* What libnl's code means, with "what: " before its words. */
CHECKED enum err netlink_error(struct why *why, int code, const char *what);

#endif
