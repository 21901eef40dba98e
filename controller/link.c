#include "controller/link.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/shape.h"
#include "common/units.h"

#define MTU_MIN 68u /* the least that IPv4 allows: RFC 791 */
#define MTU_MAX 65535u

static enum err parse_mtu(const char *text, struct trial_spec *spec,
                          struct why *why)
{
    uint64_t v = 0;
    enum err e = units_u64(text, MTU_MAX, &v, why);
    if (!e && v < MTU_MIN)
        e = err_set(why, ERR_RANGE, "\"%s\" is less than %u", text, MTU_MIN);
    if (!e)
        spec->link_mtu = (uint32_t)v;
    return e;
}

static enum err parse_rate(const char *text, struct trial_spec *spec,
                           struct why *why)
{
    enum err e = units_bitrate(text, &spec->link_rate_bit, why);
    if (!e && !spec->link_rate_bit)
        e = err_set(why, ERR_RANGE, "\"%s\" lets nothing through", text);
    return e;
}

static enum err parse_burst(const char *text, struct trial_spec *spec,
                            struct why *why)
{
    uint64_t v = 0;
    enum err e = units_bytes(text, &v, why);
    if (!e && (v == 0 || v > UINT32_MAX))
        e = err_set(why, ERR_RANGE, "\"%s\" is not within 1 and 4g", text);
    if (!e)
        spec->link_burst_bytes = (uint32_t)v;
    return e;
}

/* One that is none is left out, not given as 0. */
static enum err parse_time(const char *text, uint64_t *ns, struct why *why)
{
    enum err e = units_duration(text, ns, why);
    if (!e && !*ns)
        e = err_set(why, ERR_RANGE, "\"%s\" is none: leave it out", text);
    return e;
}

static enum err parse_latency(const char *text, struct trial_spec *spec,
                              struct why *why)
{
    return parse_time(text, &spec->link_latency_ns, why);
}

static enum err parse_delay(const char *text, struct trial_spec *spec,
                            struct why *why)
{
    return parse_time(text, &spec->link_delay_ns, why);
}

static enum err parse_offloads(const char *text, struct trial_spec *spec,
                               struct why *why)
{
    if (strcmp(text, "on") && strcmp(text, "off"))
        return err_set(why, ERR_INVALID, "\"%s\" is not on or off", text);
    (void)snprintf(spec->link_offloads, sizeof spec->link_offloads, "%s", text);
    return ERR_OK;
}

/* Sets nothing; see LINK_EMULATION. */
static enum err parse_emulates(const char *text, struct trial_spec *spec,
                               struct why *why)
{
    (void)spec;
    if (!strcmp(text, "ethernet"))
        return ERR_OK;
    return err_set(why, ERR_INVALID, "\"%s\" is not ethernet", text);
}

static const struct part {
    const char *name;
    enum err (*parse)(const char *text, struct trial_spec *spec,
                      struct why *why);
} parts[] = {
    {"mtu", parse_mtu},           {"rate", parse_rate},
    {"burst", parse_burst},       {"latency", parse_latency},
    {"delay", parse_delay},       {"offloads", parse_offloads},
    {"emulates", parse_emulates},
};

#define N_PARTS (sizeof parts / sizeof *parts)

/* One "name=value" of a veth level; seen has a bit per part. */
static enum err parse_part(char *text, struct trial_spec *spec, unsigned *seen,
                           struct why *why)
{
    char *eq = strchr(text, '=');
    if (eq)
        *eq = '\0';
    for (size_t i = 0; eq && i < N_PARTS; i++) {
        if (strcmp(text, parts[i].name))
            continue;
        if (*seen & 1u << i)
            return err_set(why, ERR_INVALID, "veth: %s stands there twice",
                           text);
        *seen |= 1u << i;
        enum err e = parts[i].parse(eq + 1, spec, why);
        return e ? err_wrap(why, e, "veth: %s", text) : ERR_OK;
    }
    return err_set(why, ERR_INVALID,
                   "veth: \"%s\" is not one of mtu=, rate=, burst=, latency=, "
                   "delay=, offloads=",
                   text);
}

static enum err parse_veth(const char *list, struct trial_spec *spec,
                           struct why *why)
{
    char copy[256];
    unsigned seen = 0;
    if (strlen(list) >= sizeof copy)
        return err_set(why, ERR_RANGE, "veth: level is too long");
    (void)snprintf(copy, sizeof copy, "%s", list);
    for (char *at = copy; at;) {
        char *plus = strchr(at, '+');
        if (plus)
            *plus = '\0';
        enum err e = parse_part(at, spec, &seen, why);
        if (e)
            return e;
        at = plus ? plus + 1 : NULL;
    }
    enum err e = shape_check(spec, why);
    return e ? err_wrap(why, e, "veth") : ERR_OK;
}

enum err link_parse(const char *value, struct trial_spec *spec, struct why *why)
{
    bool veth =
        !strncmp(value, "veth", 4) && (value[4] == '\0' || value[4] == ':');
    if (!veth && strcmp(value, "loopback") && strcmp(value, "ethernet"))
        return err_set(why, ERR_INVALID,
                       "\"%s\" is not loopback, ethernet or "
                       "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off",
                       value);
    (void)snprintf(spec->link_kind, sizeof spec->link_kind, "%s",
                   veth ? "veth" : value);
    return veth && value[4] ? parse_veth(value + 5, spec, why) : ERR_OK;
}

static enum err on_or_off(const char *value, struct why *why)
{
    if (!strcmp(value, "on") || !strcmp(value, "off"))
        return ERR_OK;
    return err_set(why, ERR_INVALID, "\"%s\" is not on or off", value);
}

enum err link_nic(const char *param, const char *value, struct trial_spec *spec,
                  struct why *why)
{
    static const char *const counts[] = {
        "coalesce.rx-usecs", "coalesce.rx-frames", "coalesce.tx-usecs",
        "coalesce.tx-frames"};
    struct trial_spec unused;
    uint64_t n = 0;
    enum err e = ERR_NOTFOUND;
    if (!strcmp(param, "mtu"))
        e = parse_mtu(value, &unused, why);
    for (size_t i = 0; e == ERR_NOTFOUND && i < 4; i++)
        if (!strcmp(param, counts[i]))
            e = units_u64(value, UINT32_MAX, &n, why);
    bool other = !strncmp(param, "coalesce.", 9) &&
                 strcmp(param, "coalesce.adaptive-rx") != 0 &&
                 strcmp(param, "coalesce.adaptive-tx") != 0;
    if (e == ERR_NOTFOUND && other)
        return err_set(why, ERR_INVALID,
                       "accepted: nic.coalesce.rx-usecs, rx-frames, tx-usecs, "
                       "tx-frames, adaptive-rx, adaptive-tx");
    if (e == ERR_NOTFOUND)
        e = on_or_off(value, why);
    return e ? e : setup_line(spec->nic, sizeof spec->nic, param, value, why);
}
