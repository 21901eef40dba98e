#include "agent/executor/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Linux 6.x has 60-odd features; more than this is not one of ours. */
#define FEATURES_MAX 512u
#define BLOCKS_MAX   (FEATURES_MAX / 32)

struct features {
    unsigned n;
    char (*names)[ETH_GSTRING_LEN]; /* [n] */
    uint32_t active[BLOCKS_MAX], available[BLOCKS_MAX], fixed[BLOCKS_MAX];
};

bool ethtool_is_offload(const char *feature)
{
    static const char tcp[] = "tx-tcp", end[] = "-segmentation";
    size_t n = strlen(feature);
    if (!strncmp(feature, tcp, sizeof tcp - 1) && n >= sizeof end - 1 &&
        !strcmp(feature + n - (sizeof end - 1), end))
        return true;
    return !strcmp(feature, "tx-generic-segmentation") ||
           !strcmp(feature, "rx-gro") || !strcmp(feature, "rx-lro");
}

static enum err call(int sock, const char *dev, void *data, const char *what,
                     struct why *why)
{
    struct ifreq r = {.ifr_data = data};
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%s", dev);
    return ioctl(sock, SIOCETHTOOL, &r) < 0 ? err_errno(why, errno, "%s", what)
                                            : ERR_OK;
}

static enum err count(int sock, const char *dev, unsigned *n, struct why *why)
{
    union {
        struct ethtool_sset_info head;
        uint32_t words[sizeof(struct ethtool_sset_info) / 4 + 1];
    } info = {.head = {.cmd = ETHTOOL_GSSET_INFO,
                       .sset_mask = 1ull << ETH_SS_FEATURES}};
    enum err e = call(sock, dev, &info, "count features", why);
    *n = info.head.sset_mask ? info.head.data[0] : 0;
    if (!e && (*n == 0 || *n > FEATURES_MAX))
        e = err_set(why, ERR_UNSUPPORTED, "%u offload features", *n);
    return e;
}

static enum err read_names(int sock, const char *dev, struct features *f,
                           struct why *why)
{
    size_t bytes = (size_t)f->n * ETH_GSTRING_LEN;
    struct ethtool_gstrings *s = calloc(1, sizeof *s + bytes);
    f->names = calloc(f->n, ETH_GSTRING_LEN);
    enum err e = ERR_OK;
    if (!s || !f->names) {
        e = err_set(why, ERR_NOMEM, "no memory for feature names");
        goto out;
    }
    s->cmd = ETHTOOL_GSTRINGS;
    s->string_set = ETH_SS_FEATURES;
    s->len = f->n;
    e = call(sock, dev, s, "read feature names", why);
    for (unsigned i = 0; !e && i < f->n; i++) {
        memcpy(f->names[i], s->data + (size_t)i * ETH_GSTRING_LEN,
               ETH_GSTRING_LEN);
        f->names[i][ETH_GSTRING_LEN - 1] = '\0';
    }
out:
    free(s);
    return e;
}

static enum err read_states(int sock, const char *dev, struct features *f,
                            struct why *why)
{
    unsigned blocks = (f->n + 31) / 32;
    struct ethtool_gfeatures *g =
        calloc(1, sizeof *g + blocks * sizeof g->features[0]);
    if (!g)
        return err_set(why, ERR_NOMEM, "no memory for features");
    g->cmd = ETHTOOL_GFEATURES;
    g->size = blocks;
    enum err e = call(sock, dev, g, "read features", why);
    for (unsigned i = 0; !e && i < blocks; i++) {
        f->active[i] = g->features[i].active;
        f->available[i] = g->features[i].available;
        f->fixed[i] = g->features[i].never_changed;
    }
    free(g);
    return e;
}

static bool bit(const uint32_t *blocks, unsigned i)
{
    return blocks[i / 32] >> (i % 32) & 1;
}

static enum err features_read(int sock, const char *dev, struct features *f,
                              struct why *why)
{
    enum err e = count(sock, dev, &f->n, why);
    if (!e)
        e = read_names(sock, dev, f, why);
    if (!e)
        e = read_states(sock, dev, f, why);
    return e;
}

static enum err features_set(int sock, const char *dev,
                             const struct features *f, bool on, struct why *why)
{
    unsigned blocks = (f->n + 31) / 32;
    struct ethtool_sfeatures *s =
        calloc(1, sizeof *s + blocks * sizeof s->features[0]);
    if (!s)
        return err_set(why, ERR_NOMEM, "no memory for features");
    s->cmd = ETHTOOL_SFEATURES;
    s->size = blocks;
    for (unsigned i = 0; i < f->n; i++)
        if (ethtool_is_offload(f->names[i]) && bit(f->available, i) &&
            !bit(f->fixed, i)) {
            s->features[i / 32].valid |= 1u << (i % 32);
            s->features[i / 32].requested |= (uint32_t)on << (i % 32);
        }
    enum err e = call(sock, dev, s, "set features", why);
    free(s);
    return e;
}

enum err ethtool_set(const char *dev, bool on, struct why *why)
{
    struct features f = {0};
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = features_read(sock, dev, &f, why);
    if (!e)
        e = features_set(sock, dev, &f, on, why);
    free(f.names);
    (void)close(sock);
    return e ? err_wrap(why, e, "offloads of %s", dev) : ERR_OK;
}

enum err ethtool_get(const char *dev, char *buf, size_t size, unsigned *n_on,
                     unsigned *n_off, struct why *why)
{
    struct features f = {0};
    size_t used = 0;
    *n_on = *n_off = 0;
    buf[0] = '\0';
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = features_read(sock, dev, &f, why);
    for (unsigned i = 0; !e && i < f.n; i++) {
        if (!ethtool_is_offload(f.names[i]))
            continue;
        bool on = bit(f.active, i);
        *n_on += on;
        *n_off += !on;
        if (on && used + strlen(f.names[i]) + 2 < size)
            used += (size_t)snprintf(buf + used, size - used, "%s%s",
                                     used ? "," : "", f.names[i]);
    }
    free(f.names);
    (void)close(sock);
    return e ? err_wrap(why, e, "offloads of %s", dev) : ERR_OK;
}

/* Read dev's features and find this one. */
static enum err find(int sock, const char *dev, const char *feature,
                     struct features *f, unsigned *at, struct why *why)
{
    enum err e = features_read(sock, dev, f, why);
    for (unsigned i = 0; !e && i < f->n; i++)
        if (!strcmp(f->names[i], feature)) {
            *at = i;
            return ERR_OK;
        }
    return e ? e
             : err_set(why, ERR_NOTFOUND, "this kernel has no feature \"%s\"",
                       feature);
}

enum err ethtool_feature_get(const char *dev, const char *feature, bool *on,
                             bool *fixed, struct why *why)
{
    struct features f = {0};
    unsigned at = 0;
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = find(sock, dev, feature, &f, &at, why);
    if (!e) {
        *on = bit(f.active, at);
        *fixed = bit(f.fixed, at) || !bit(f.available, at);
    }
    free(f.names);
    (void)close(sock);
    return e ? err_wrap(why, e, "%s", dev) : ERR_OK;
}

enum err ethtool_feature_put(const char *dev, const char *feature, bool on,
                             struct why *why)
{
    struct features f = {0};
    unsigned at = 0;
    struct ethtool_sfeatures *s = NULL;
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = find(sock, dev, feature, &f, &at, why);
    if (!e) {
        s = calloc(1, sizeof *s + BLOCKS_MAX * sizeof s->features[0]);
        e = s ? ERR_OK : err_set(why, ERR_NOMEM, "no memory for features");
    }
    if (!e) {
        s->cmd = ETHTOOL_SFEATURES;
        s->size = (f.n + 31) / 32;
        s->features[at / 32].valid = 1u << (at % 32);
        s->features[at / 32].requested = (uint32_t)on << (at % 32);
        e = call(sock, dev, s, feature, why);
    }
    free(s);
    free(f.names);
    (void)close(sock);
    return e ? err_wrap(why, e, "%s", dev) : ERR_OK;
}

enum err ethtool_to_switch(const char *dev, bool on, char *buf, size_t size,
                           struct why *why)
{
    struct features f = {0};
    size_t used = 0;
    buf[0] = '\0';
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = features_read(sock, dev, &f, why);
    for (unsigned i = 0; !e && i < f.n; i++) {
        if (!ethtool_is_offload(f.names[i]) || bit(f.active, i) == on ||
            bit(f.fixed, i) || !bit(f.available, i))
            continue;
        if (used + strlen(f.names[i]) + 2 > size)
            e = err_set(why, ERR_RANGE, "too many offloads");
        else
            used +=
                (size_t)snprintf(buf + used, size - used, "%s\n", f.names[i]);
    }
    free(f.names);
    (void)close(sock);
    return e ? err_wrap(why, e, "offloads of %s", dev) : ERR_OK;
}

enum err ethtool_list(const char *dev, bool offloads, char *buf, size_t size,
                      struct why *why)
{
    struct features f = {0};
    size_t used = 0;
    buf[0] = '\0';
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    enum err e = features_read(sock, dev, &f, why);
    for (unsigned i = 0; !e && i < f.n; i++)
        if (bit(f.active, i) && (!offloads || ethtool_is_offload(f.names[i])) &&
            used + strlen(f.names[i]) + 2 <= size)
            used +=
                (size_t)snprintf(buf + used, size - used, "%s\n", f.names[i]);
    free(f.names);
    (void)close(sock);
    return e;
}
