#include "agent/executor/settings.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/executor/ethtool.h"
#include "agent/executor/nic.h"
#include "agent/executor/nic_knob.h"
#include "common/clock.h"

#define CARRY_NS     (5 * NS_PER_S)
#define CARRY_LOOK   (20 * NS_PER_MS)
#define OFFLOADS_MAX 2048u

/* The interface -------------------------------------------------------------
 */

static enum err set_knob(struct host *host, const char *dev, const char *knob,
                         char value[CHANGE_VALUE_MAX], struct why *why)
{
    char target[CHANGE_TARGET_MAX];
    (void)snprintf(target, sizeof target, "%s %s", dev, knob);
    return host_set(host, CHANGE_NIC, target, value, why);
}

/* Every offload that the device can switch, each a change of its own. */
static enum err set_offloads(struct host *host, const char *dev,
                             const char *value, struct why *why)
{
    char list[OFFLOADS_MAX];
    enum err e =
        ethtool_to_switch(dev, !strcmp(value, "on"), list, sizeof list, why);
    for (char *at = list, *end; !e && (end = strchr(at, '\n')); at = end + 1) {
        char knob[60], one[CHANGE_VALUE_MAX], now[CHANGE_VALUE_MAX];
        *end = '\0';
        (void)snprintf(knob, sizeof knob, "feature.%s", at);
        (void)snprintf(one, sizeof one, "%s", value);
        /* One may have gone with another before it. */
        e = nic_knob_get(dev, knob, now, why);
        if (!e && strcmp(now, one) != 0)
            e = set_knob(host, dev, knob, one, why);
    }
    return e;
}

static bool carries(const char *dev)
{
    struct ifreq r = {.ifr_flags = 0};
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return false;
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%.15s", dev);
    bool up = !ioctl(sock, SIOCGIFFLAGS, &r) && (r.ifr_flags & IFF_RUNNING);
    (void)close(sock);
    return up;
}

enum err settings_nic(struct setup *setup, struct host *host, struct why *why)
{
    struct link_end end = setup->link.own;
    enum err e = ERR_OK;
    if (setup->n_nics == 0)
        return ERR_OK;
    if (!(setup->parts & PART_BIT(PART_TARGET)))
        e = nic_toward(setup->link.peer, &end, why);
    if (!e && strcmp(end.dev, setup->interface) != 0)
        e = err_set(why, ERR_PERMISSION,
                    "nic: the way to the other side is %s; trials may set "
                    "only %s",
                    end.dev, setup->interface);
    for (unsigned i = 0; !e && i < setup->n_nics; i++) {
        struct setup_nic *n = &setup->nics[i];
        e = strcmp(n->knob, "offloads")
                ? set_knob(host, end.dev, n->knob, n->value, why)
                : set_offloads(host, end.dev, n->value, why);
    }
    uint64_t due_ns = clock_mono_ns() + CARRY_NS;
    while (!e && !carries(end.dev)) {
        if (clock_mono_ns() > due_ns)
            e = err_set(why, ERR_TIMEOUT,
                        "%s does not carry within 5 s of its change", end.dev);
        clock_sleep_until(clock_mono_ns() + CARRY_LOOK);
    }
    return e;
}

/* The kernel ----------------------------------------------------------------
 */

/* In the cage: set what is its own, mark what is not, read. */
static enum err in_cage(void *arg, struct why *why)
{
    enum err e = ERR_OK;
    for (struct setup_sysctl *s = arg; !e && s->name[0]; s++) {
        if (s->wanted && !s->host)
            s->host = !sysctl_in_namespace(s->name);
        if (s->wanted && !s->host)
            e = sysctl_set(s->name, s->value, why);
        if (!e && !(s->wanted && s->host))
            e = sysctl_get(s->name, s->value, why);
    }
    return e;
}

enum err settings_kernel(struct setup *setup, const struct cage *cage,
                         struct host *host, struct why *why)
{
    struct setup_sysctl list[SETUP_SYSCTLS_MAX + 2] = {0};
    memcpy(list, setup->sysctls, setup->n_sysctls * sizeof *list);
    enum err e = cage_run(cage, in_cage, list, sizeof list, why);
    memcpy(setup->sysctls, list, setup->n_sysctls * sizeof *list);
    for (unsigned i = 0; !e && i < setup->n_sysctls; i++) {
        struct setup_sysctl *s = &setup->sysctls[i];
        if (!s->wanted || !s->host)
            continue;
        if (setup->mode != FACTS_NETNS)
            return err_set(why, ERR_UNSUPPORTED,
                           "%s is the whole machine's: run pitwall-agent as "
                           "root to set it",
                           s->name);
        e = host_set(host, CHANGE_SYSCTL, s->name, s->value, why);
    }
    return e;
}

/* Afterwards ----------------------------------------------------------------
 */

static enum err read_all(void *arg, struct why *why)
{
    for (struct setup_sysctl *s = arg; s->name[0]; s++)
        if (sysctl_get(s->name, s->value, why))
            s->value[0] = '\0'; /* as if somebody had taken it away */
    return ERR_OK;
}

static void compare(const char *name, const char *was, const char *is,
                    settings_tell *tell, void *ctx)
{
    char text[400];
    if (!strcmp(was, is))
        return;
    (void)snprintf(text, sizeof text, "%s was set to \"%s\" and is \"%s\"",
                   name, was, is);
    tell(ctx, text);
}

void settings_changed(const struct setup *setup, const struct cage *cage,
                      settings_tell *tell, void *ctx)
{
    struct setup_sysctl now[SETUP_SYSCTLS_MAX + 2] = {0};
    struct why why = {0};
    memcpy(now, setup->sysctls, setup->n_sysctls * sizeof *now);
    if (!cage_run(cage, read_all, now, sizeof now, &why))
        for (unsigned i = 0; i < setup->n_sysctls; i++)
            compare(now[i].name, setup->sysctls[i].value, now[i].value, tell,
                    ctx);
    for (unsigned i = 0; i < setup->n_nics; i++) {
        const struct setup_nic *n = &setup->nics[i];
        char value[CHANGE_VALUE_MAX];
        if (strcmp(n->knob, "offloads") != 0 &&
            !nic_knob_get(setup->interface, n->knob, value, &why))
            compare(n->knob, n->value, value, tell, ctx);
    }
}
