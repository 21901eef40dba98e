/* Who may change this machine now. Pure: time is CLOCK_BOOTTIME as a value, and
 * the token is a number that the caller has made durable before. */
#ifndef PITWALL_AGENT_EXECUTOR_LEASE_H
#define PITWALL_AGENT_EXECUTOR_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Accepted times to live: tests use one second, long trials days. */
#define LEASE_TTL_MIN_NS (100ull * 1000000)
#define LEASE_TTL_MAX_NS (30ull * 24 * 3600 * 1000000000)

struct lease {
    char owner[37];
    uint64_t token; /* the newest that was given out; 0: none */
    uint64_t expires_ns;
    bool held;
};

/* Whether owner may have it: nobody holds it, its time is over, or the same
 * owner comes back. ERR_HELD names the owner and the time left; ERR_RANGE a
 * ttl, ERR_INVALID an owner that is not accepted. */
CHECKED enum err lease_allows(const struct lease *l, const char *owner,
                              uint64_t ttl_ns, uint64_t now_ns,
                              struct why *why);

/* Give it out. */
void lease_grant(struct lease *l, const char *owner, uint64_t token,
                 uint64_t ttl_ns, uint64_t now_ns);

/* Whether token commands. ERR_FENCED: it is not the newest, or its time is
 * over. */
CHECKED enum err lease_check(const struct lease *l, uint64_t token,
                             uint64_t now_ns, struct why *why);

/* Extend it from now. Errors as lease_check, ERR_RANGE. */
CHECKED enum err lease_renew(struct lease *l, uint64_t token, uint64_t ttl_ns,
                             uint64_t now_ns, struct why *why);

/* Give it up. */
void lease_release(struct lease *l);

/* Time left, 0 when it is not held or over. */
uint64_t lease_left_ns(const struct lease *l, uint64_t now_ns);

#endif
