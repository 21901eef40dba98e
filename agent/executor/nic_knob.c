#include "agent/executor/nic_knob.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/executor/ethtool.h"
#include "common/units.h"

#define FEATURE  "feature."
#define COALESCE "coalesce."

/* Names as ethtool -c prints them. */
static const struct coalesce {
    const char *name;
    size_t offset;
    bool is_switch;
} coalesces[] = {
    {"rx-usecs", offsetof(struct ethtool_coalesce, rx_coalesce_usecs), false},
    {"rx-frames", offsetof(struct ethtool_coalesce, rx_max_coalesced_frames),
     false},
    {"tx-usecs", offsetof(struct ethtool_coalesce, tx_coalesce_usecs), false},
    {"tx-frames", offsetof(struct ethtool_coalesce, tx_max_coalesced_frames),
     false},
    {"adaptive-rx", offsetof(struct ethtool_coalesce, use_adaptive_rx_coalesce),
     true},
    {"adaptive-tx", offsetof(struct ethtool_coalesce, use_adaptive_tx_coalesce),
     true},
};

static enum err ask(const char *dev, unsigned long request, struct ifreq *r,
                    const char *what, struct why *why)
{
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    (void)snprintf(r->ifr_name, sizeof r->ifr_name, "%.15s", dev);
    int bad = ioctl(sock, request, r) < 0;
    int saved = errno;
    (void)close(sock);
    if (bad && saved == ENODEV)
        return err_set(why, ERR_NOTFOUND, "there is no interface %s", dev);
    if (bad && (saved == EOPNOTSUPP || saved == EINVAL))
        return err_set(why, ERR_UNSUPPORTED, "%s: the driver of %s refuses it",
                       what, dev);
    return bad ? err_errno(why, saved, "%s of %s", what, dev) : ERR_OK;
}

static const struct coalesce *coalesce_of(const char *knob)
{
    if (strncmp(knob, COALESCE, sizeof COALESCE - 1) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof coalesces / sizeof *coalesces; i++)
        if (!strcmp(coalesces[i].name, knob + sizeof COALESCE - 1))
            return &coalesces[i];
    return NULL;
}

static enum err unknown(const char *knob, struct why *why)
{
    return err_set(why, ERR_INVALID,
                   "\"%.60s\"; accepted: mtu, feature.NAME, coalesce.rx-usecs, "
                   "rx-frames, tx-usecs, tx-frames, adaptive-rx, adaptive-tx",
                   knob);
}

static enum err on_or_off(const char *knob, const char *value, bool *on,
                          struct why *why)
{
    *on = !strcmp(value, "on");
    if (*on || !strcmp(value, "off"))
        return ERR_OK;
    return err_set(why, ERR_INVALID, "%s \"%.40s\"; accepted: on, off", knob,
                   value);
}

static enum err read_coalesce(const char *dev, struct ethtool_coalesce *c,
                              struct why *why)
{
    struct ifreq r = {.ifr_data = (void *)c};
    *c = (struct ethtool_coalesce){.cmd = ETHTOOL_GCOALESCE};
    return ask(dev, SIOCETHTOOL, &r, "coalesce", why);
}

enum err nic_knob_get(const char *dev, const char *knob,
                      char value[CHANGE_VALUE_MAX], struct why *why)
{
    const struct coalesce *c = coalesce_of(knob);
    struct ifreq r = {.ifr_mtu = 0};
    bool on = false, fixed = false;
    enum err e;
    if (!strcmp(knob, "mtu")) {
        e = ask(dev, SIOCGIFMTU, &r, knob, why);
        if (!e)
            (void)snprintf(value, CHANGE_VALUE_MAX, "%d", r.ifr_mtu);
    } else if (!strncmp(knob, FEATURE, sizeof FEATURE - 1)) {
        e = ethtool_feature_get(dev, knob + sizeof FEATURE - 1, &on, &fixed,
                                why);
        if (!e)
            (void)snprintf(value, CHANGE_VALUE_MAX, "%s", on ? "on" : "off");
    } else if (c) {
        struct ethtool_coalesce all;
        uint32_t n = 0;
        e = read_coalesce(dev, &all, why);
        memcpy(&n, (const char *)&all + c->offset, sizeof n);
        if (!e && c->is_switch)
            (void)snprintf(value, CHANGE_VALUE_MAX, "%s", n ? "on" : "off");
        else if (!e)
            (void)snprintf(value, CHANGE_VALUE_MAX, "%u", n);
    } else {
        e = unknown(knob, why);
    }
    return e;
}

static enum err put_coalesce(const char *dev, const struct coalesce *c,
                             const char *knob, const char *value,
                             struct why *why)
{
    struct ethtool_coalesce all;
    struct ifreq r = {.ifr_data = (void *)&all};
    uint64_t n = 0;
    bool on = false;
    enum err e = c->is_switch ? on_or_off(knob, value, &on, why)
                              : units_u64(value, UINT32_MAX, &n, why);
    if (!e)
        e = read_coalesce(dev, &all, why);
    if (e)
        return e;
    uint32_t v = c->is_switch ? on : (uint32_t)n;
    memcpy((char *)&all + c->offset, &v, sizeof v);
    all.cmd = ETHTOOL_SCOALESCE;
    return ask(dev, SIOCETHTOOL, &r, knob, why);
}

static enum err put_feature(const char *dev, const char *knob,
                            const char *value, struct why *why)
{
    const char *feature = knob + sizeof FEATURE - 1;
    bool want = false, on = false, fixed = false;
    enum err e = on_or_off(knob, value, &want, why);
    if (!e)
        e = ethtool_feature_get(dev, feature, &on, &fixed, why);
    if (!e && fixed && on != want)
        return err_set(why, ERR_UNSUPPORTED, "%s of %s is %s and fixed", knob,
                       dev, on ? "on" : "off");
    return e ? e : ethtool_feature_put(dev, feature, want, why);
}

enum err nic_knob_put(const char *dev, const char *knob, const char *value,
                      struct why *why)
{
    const struct coalesce *c = coalesce_of(knob);
    if (!strcmp(knob, "mtu")) {
        struct ifreq r;
        uint64_t n = 0;
        enum err e = units_u64(value, INT32_MAX, &n, why);
        if (e)
            return err_wrap(why, e, "mtu");
        r.ifr_mtu = (int)n;
        return ask(dev, SIOCSIFMTU, &r, knob, why);
    }
    if (!strncmp(knob, FEATURE, sizeof FEATURE - 1))
        return put_feature(dev, knob, value, why);
    return c ? put_coalesce(dev, c, knob, value, why) : unknown(knob, why);
}
