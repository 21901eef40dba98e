#include "agent/executor/lease.h"

#include <stdio.h>
#include <string.h>

static enum err check_ttl(uint64_t ttl_ns, struct why *why)
{
    if (ttl_ns < LEASE_TTL_MIN_NS || ttl_ns > LEASE_TTL_MAX_NS)
        return err_set(why, ERR_RANGE,
                       "a lease of %.3g s; accepted: 0.1 s to 30 days",
                       (double)ttl_ns / 1e9);
    return ERR_OK;
}

uint64_t lease_left_ns(const struct lease *l, uint64_t now_ns)
{
    return l->held && now_ns < l->expires_ns ? l->expires_ns - now_ns : 0;
}

enum err lease_allows(const struct lease *l, const char *owner, uint64_t ttl_ns,
                      uint64_t now_ns, struct why *why)
{
    if (!owner[0] || strlen(owner) >= sizeof l->owner)
        return err_set(why, ERR_INVALID,
                       "a lease's owner has 1 to 36 characters");
    uint64_t left_ns = lease_left_ns(l, now_ns);
    if (left_ns && strcmp(owner, l->owner) != 0)
        return err_set(why, ERR_HELD, "held by %s for another %.1f s", l->owner,
                       (double)left_ns / 1e9);
    return check_ttl(ttl_ns, why);
}

void lease_grant(struct lease *l, const char *owner, uint64_t token,
                 uint64_t ttl_ns, uint64_t now_ns)
{
    *l = (struct lease){
        .token = token, .expires_ns = now_ns + ttl_ns, .held = true};
    (void)snprintf(l->owner, sizeof l->owner, "%s", owner);
}

enum err lease_check(const struct lease *l, uint64_t token, uint64_t now_ns,
                     struct why *why)
{
    if (token != l->token || token == 0)
        return err_set(why, ERR_FENCED,
                       "token %llu is not the newest (%llu): acquire again",
                       (unsigned long long)token, (unsigned long long)l->token);
    if (!l->held)
        return err_set(why, ERR_FENCED, "no lease is held: acquire again");
    if (now_ns >= l->expires_ns)
        return err_set(why, ERR_FENCED,
                       "the lease expired %.1f s ago: acquire again",
                       (double)(now_ns - l->expires_ns) / 1e9);
    return ERR_OK;
}

enum err lease_renew(struct lease *l, uint64_t token, uint64_t ttl_ns,
                     uint64_t now_ns, struct why *why)
{
    enum err e = lease_check(l, token, now_ns, why);
    if (!e)
        e = check_ttl(ttl_ns, why);
    if (!e)
        l->expires_ns = now_ns + ttl_ns;
    return e;
}

void lease_release(struct lease *l)
{
    l->held = false;
    l->owner[0] = '\0';
}
