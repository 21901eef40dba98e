#include "agent/executor/nic_facts.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/executor/ethtool.h"

#define NONE "not supported"

struct place {
    struct notes *notes;
    const char *dev, *root;
    int sock;
};

/* By the driver ---------------------------------------------------------- */

/* True: answered. Else the fact says why not. */
static bool ask(const struct place *p, void *data, const char *name)
{
    struct ifreq r = {.ifr_data = data};
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%.15s", p->dev);
    if (!ioctl(p->sock, SIOCETHTOOL, &r))
        return true;
    bool none = errno == EOPNOTSUPP || errno == EINVAL;
    notes_add(p->notes, name, "%s", none ? NONE : strerror(errno));
    return false;
}

static void add_mtu(const struct place *p)
{
    struct ifreq r = {.ifr_mtu = 0};
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%.15s", p->dev);
    if (!ioctl(p->sock, SIOCGIFMTU, &r))
        notes_add(p->notes, "interface.mtu", "%d", r.ifr_mtu);
    else
        notes_add(p->notes, "interface.mtu", "%s", strerror(errno));
}

static void add_speed(const struct place *p)
{
    struct ethtool_cmd c = {.cmd = ETHTOOL_GSET};
    if (!ask(p, &c, "interface.speed")) {
        notes_add(p->notes, "interface.duplex", NONE);
        return;
    }
    uint32_t mbit = ethtool_cmd_speed(&c);
    if (mbit == 0 || mbit >= INT32_MAX)
        notes_add(p->notes, "interface.speed", "not told by the driver");
    else
        notes_add(p->notes, "interface.speed", "%u Mbit/s", mbit);
    notes_add(p->notes, "interface.duplex", "%s",
              c.duplex == DUPLEX_FULL   ? "full"
              : c.duplex == DUPLEX_HALF ? "half"
                                        : "not told by the driver");
}

static void add_driver(const struct place *p)
{
    struct ethtool_drvinfo d = {.cmd = ETHTOOL_GDRVINFO};
    if (!ask(p, &d, "interface.driver"))
        return;
    notes_add(p->notes, "interface.driver", "%.31s %.31s%s%.31s%s%.31s",
              d.driver, d.version, *d.fw_version ? ", firmware " : "",
              d.fw_version, *d.bus_info ? ", at " : "", d.bus_info);
}

/* Comma separated as they come, to words. */
static void add_features(const struct place *p, bool offloads)
{
    const char *name = offloads ? "interface.offloads" : "interface.features";
    char list[4096], value[NOTE_VALUE_MAX] = "";
    struct why why = {""};
    enum err e = ethtool_list(p->dev, offloads, list, sizeof list, &why);
    if (e) {
        notes_add(p->notes, name, "%s", e == ERR_UNSUPPORTED ? NONE : why.text);
        return;
    }
    for (char *at = list, *end; (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        if (!notes_word(value, "%s", at))
            break;
    }
    notes_add(p->notes, name, "%s", *value ? value : "none");
}

static void add_rings(const struct place *p)
{
    struct ethtool_ringparam r = {.cmd = ETHTOOL_GRINGPARAM};
    if (ask(p, &r, "interface.rings"))
        notes_add(p->notes, "interface.rings", "rx %u of %u, tx %u of %u",
                  r.rx_pending, r.rx_max_pending, r.tx_pending,
                  r.tx_max_pending);
}

static void add_coalesce(const struct place *p)
{
    struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};
    if (ask(p, &c, "interface.coalesce"))
        notes_add(p->notes, "interface.coalesce",
                  "rx-usecs %u, rx-frames %u, tx-usecs %u, tx-frames %u, "
                  "adaptive-rx %s, adaptive-tx %s",
                  c.rx_coalesce_usecs, c.rx_max_coalesced_frames,
                  c.tx_coalesce_usecs, c.tx_max_coalesced_frames,
                  c.use_adaptive_rx_coalesce ? "on" : "off",
                  c.use_adaptive_tx_coalesce ? "on" : "off");
}

/* By /sys and /proc ------------------------------------------------------ */

static bool read_line(const char *path, char *buf, size_t size)
{
    FILE *in = fopen(path, "re");
    bool got = in && fgets(buf, (int)size, in);
    if (in)
        (void)fclose(in);
    if (got)
        buf[strcspn(buf, "\n")] = '\0';
    return got;
}

static int numbered(const struct dirent *d)
{
    return d->d_name[0] >= '0' && d->d_name[0] <= '9';
}

static int receiving(const struct dirent *d)
{
    return !strncmp(d->d_name, "rx-", 3);
}

/* For each entry of folder that pick takes, "name=line" of the file that path
 * makes of its name. */
static unsigned gather(const char *folder, int (*pick)(const struct dirent *),
                       const char *before, const char *after, char *value)
{
    struct dirent **found = NULL;
    unsigned got = 0;
    char path[512], line[200];
    int n = scandir(folder, &found, pick, versionsort);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%.300s/%.60s/%s", before,
                       found[i]->d_name, after);
        if (read_line(path, line, sizeof line)) {
            (void)notes_word(value, "%.60s=%.100s", found[i]->d_name, line);
            got++;
        }
        free(found[i]);
    }
    free(found);
    return got;
}

static void add_rps(const struct place *p)
{
    char folder[256], value[NOTE_VALUE_MAX] = "";
    (void)snprintf(folder, sizeof folder, "%.100s/sys/class/net/%.15s/queues",
                   p->root, p->dev);
    bool any = gather(folder, receiving, folder, "rps_cpus", value) > 0;
    notes_add(p->notes, "interface.rps", "%s",
              any                     ? value
              : !access(folder, F_OK) ? NONE
                                      : "/sys does not show this interface");
}

/* A card's interrupts, or, of a virtual one, its bus device's. */
static void add_irq(const struct place *p)
{
    static const char *const owners[] = {"device/msi_irqs",
                                         "device/../msi_irqs"};
    char folder[300], irqs[200], value[NOTE_VALUE_MAX] = "", line[40];
    (void)snprintf(irqs, sizeof irqs, "%.100s/proc/irq", p->root);
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        (void)snprintf(folder, sizeof folder, "%.100s/sys/class/net/%.15s/%s",
                       p->root, p->dev, owners[i]);
        if (gather(folder, numbered, irqs, "smp_affinity_list", value))
            break;
    }
    /* One line-based interrupt, without a message's. */
    (void)snprintf(folder, sizeof folder, "%.100s/sys/class/net/%.15s/%s",
                   p->root, p->dev, "device/irq");
    if (!*value && read_line(folder, line, sizeof line) && atoi(line) > 0) {
        char path[300], cpus[100];
        (void)snprintf(path, sizeof path, "%s/%d/smp_affinity_list", irqs,
                       atoi(line));
        if (read_line(path, cpus, sizeof cpus))
            (void)notes_word(value, "%d=%s", atoi(line), cpus);
    }
    notes_add(p->notes, "interface.irq", "%s", *value ? value : NONE);
}

void nic_facts_add(struct notes *notes, const char *dev, const char *root)
{
    const struct place p = {notes, dev, root,
                            socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    notes_add(notes, "interface.dev", "%s", dev);
    add_mtu(&p);
    add_speed(&p);
    add_driver(&p);
    add_features(&p, true);
    add_features(&p, false);
    add_rings(&p);
    add_coalesce(&p);
    add_rps(&p);
    add_irq(&p);
    if (p.sock >= 0)
        (void)close(p.sock);
}

struct work {
    char dev[16];
    bool own_sys; /* the cage, or the agent, may mount one */
    struct notes notes;
};

/* /sys shows the network of whoever mounted it, where another interface may
 * have the same name: one of this network is put above it, seen by this helper
 * alone. */
static void see_network(void)
{
    if (!unshare(CLONE_NEWNS) &&
        !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        (void)!mount("sysfs", "/sys", "sysfs",
                     MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static enum err work_here(void *arg, struct why *why)
{
    struct work *w = arg;
    (void)why;
    if (w->own_sys)
        see_network();
    nic_facts_add(&w->notes, w->dev, "");
    return ERR_OK;
}

enum err nic_facts_of(const struct cage *cage, const char *dev,
                      struct notes *notes, struct why *why)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "no memory for facts");
    (void)snprintf(w->dev, sizeof w->dev, "%.15s", dev);
    w->own_sys = !cage || cage->mode != CAGE_PLAIN;
    w->notes = *notes;
    enum err e = cage_run(cage, work_here, w, sizeof *w, why);
    if (!e)
        *notes = w->notes;
    free(w);
    return e ? err_wrap(why, e, "facts of %s", dev) : ERR_OK;
}
