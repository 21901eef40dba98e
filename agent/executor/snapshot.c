#include "agent/executor/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/netlink.h"
#include "agent/executor/shaper.h"
#include "agent/executor/small_file.h"
#include "agent/executor/sysctl.h"

#define ROOT      "/proc/sys/"
#define SIZE      (256u << 10) /* some 5000 settings */
#define DEPTH_MAX 10
#define NAME_MAX_ 200u

static void add(struct snapshot *s, const char *name, const char *value)
{
    size_t room = s->size - s->len;
    int n = snprintf(s->text + s->len, room, "%s=%s\n", name, value);
    if (n < 0 || (size_t)n >= room) {
        s->text[s->len] = '\0';
        s->cut = true;
        return;
    }
    s->len += (size_t)n;
}

/* Sysctls ------------------------------------------------------------------ */

/* Those that change by themselves with every process. */
static bool restless(const char *name)
{
    return !strcmp(name, "kernel.ns_last_pid") ||
           !strncmp(name, "kernel.random.", 14);
}

static void add_sysctl(struct snapshot *s, const struct config *config,
                       const char *path)
{
    char name[NAME_MAX_], raw[512], value[SYSCTL_VALUE_MAX];
    struct stat st;
    (void)snprintf(name, sizeof name, "%.190s", path + strlen(ROOT));
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '.' : *c;
    /* What cannot be written, nobody has to put back. */
    if (!config_allows_sysctl(config, name) || restless(name) ||
        stat(path, &st) || !(st.st_mode & 0222) ||
        !small_file_read(AT_FDCWD, path, raw, sizeof raw))
        return;
    sysctl_normalise(value, sizeof value, raw);
    add(s, name, value);
}

static void walk(struct snapshot *s, const struct config *config,
                 const char *folder, int depth)
{
    DIR *dir = depth < DEPTH_MAX ? opendir(folder) : NULL;
    for (const struct dirent *d; dir && (d = readdir(dir));) {
        char path[512];
        (void)snprintf(path, sizeof path, "%.250s/%.250s", folder, d->d_name);
        if (d->d_name[0] == '.')
            continue;
        if (d->d_type == DT_DIR)
            walk(s, config, path, depth + 1);
        else
            add_sysctl(s, config, path);
    }
    if (dir)
        (void)closedir(dir);
}

/* The folder that a pattern's beginning names: all that it can mean is below.
 */
static void folder_of(const char *glob, char folder[NAME_MAX_])
{
    size_t fixed = strcspn(glob, "*?[\\");
    while (fixed && glob[fixed - 1] != '.')
        fixed--;
    (void)snprintf(folder, NAME_MAX_, ROOT "%.*s", (int)fixed, glob);
    for (char *c = folder + strlen(ROOT); *c; c++)
        *c = *c == '.' ? '/' : *c;
    size_t n = strlen(folder);
    folder[n - 1] = '\0'; /* the last slash */
}

static void add_sysctls(struct snapshot *s, const struct config *config)
{
    char folder[NAME_MAX_], before[NAME_MAX_];
    for (unsigned i = 0; i < config->n_sysctls; i++) {
        bool seen = false;
        folder_of(config->sysctls[i], folder);
        /* One that an earlier pattern walked has been walked for all. */
        for (unsigned k = 0; k < i && !seen; k++) {
            folder_of(config->sysctls[k], before);
            seen = !strncmp(folder, before, strlen(before));
        }
        if (!seen)
            walk(s, config, folder, 0);
    }
}

/* Links -------------------------------------------------------------------- */

static void add_link(struct snapshot *s, int sock, struct nl_sock *nl,
                     const char *dev)
{
    struct ifreq r = {.ifr_flags = 0};
    char name[40], value[300], qdisc[160];
    int mtu = 0, queue = 0;
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%.15s", dev);
    if (!ioctl(sock, SIOCGIFMTU, &r))
        mtu = r.ifr_mtu;
    if (!ioctl(sock, SIOCGIFTXQLEN, &r))
        queue = r.ifr_qlen;
    r.ifr_flags = 0;
    if (ioctl(sock, SIOCGIFFLAGS, &r))
        return; /* it has gone */
    unsigned flags =
        (unsigned short)r.ifr_flags &
        (unsigned)(IFF_UP | IFF_PROMISC | IFF_NOARP | IFF_ALLMULTI);
    struct shaper shaper;
    (void)snprintf(qdisc, sizeof qdisc, "unread");
    if (!shaper_read(nl, (int)if_nametoindex(dev), &shaper, NULL))
        shaper_show(&shaper, qdisc, sizeof qdisc);
    (void)snprintf(name, sizeof name, "link %s", dev);
    (void)snprintf(value, sizeof value, "mtu %d queue %d flags %#x qdisc %s",
                   mtu, queue, flags, qdisc);
    add(s, name, value);
}

static void add_links(struct snapshot *s)
{
    struct if_nameindex *all = if_nameindex();
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct nl_sock *nl = NULL;
    bool open = sock >= 0 && !netlink_open(&nl, NETLINK_ROUTE, NULL);
    for (struct if_nameindex *i = all; open && i && i->if_index; i++)
        add_link(s, sock, nl, i->if_name);
    netlink_close(nl);
    if (sock >= 0)
        (void)close(sock);
    if (all)
        if_freenameindex(all);
}

/* -------------------------------------------------------------------------- */

enum err snapshot_take(struct snapshot *s, const struct config *config,
                       struct why *why)
{
    *s = (struct snapshot){.text = malloc(SIZE), .size = SIZE};
    if (!s->text)
        return err_set(why, ERR_NOMEM, "no memory for what the machine is");
    s->text[0] = '\0';
    add_sysctls(s, config);
    add_links(s);
    return ERR_OK;
}

void snapshot_free(struct snapshot *s)
{
    free(s->text);
    *s = SNAPSHOT_NONE;
}

/* The value of the name that line begins with, in s; NULL: it has none. */
static const char *value_in(const struct snapshot *s, const char *line,
                            size_t name_len)
{
    for (const char *at = s->text; at && *at;
         at += strcspn(at, "\n"), at += *at != 0)
        if (!strncmp(at, line, name_len) && at[name_len] == '=')
            return at + name_len + 1;
    return NULL;
}

static int len_of(const char *value)
{
    return (int)strcspn(value, "\n");
}

unsigned snapshot_compare(const struct snapshot *before,
                          const struct snapshot *after, snapshot_tell *tell,
                          void *ctx)
{
    const struct snapshot *const both[] = {before, after};
    char said[700];
    unsigned n = 0;
    for (int turn = 0; turn < 2; turn++)
        for (const char *at = both[turn]->text; at && *at;
             at += strcspn(at, "\n"), at += *at != 0) {
            size_t name = strcspn(at, "=");
            const char *here = at + name + 1;
            const char *there = value_in(both[!turn], at, name);
            bool same = there && len_of(here) == len_of(there) &&
                        !strncmp(here, there, (size_t)len_of(here));
            if (same || (there && turn == 1))
                continue; /* told from the other side */
            if (there)
                (void)snprintf(said, sizeof said, "%.*s: \"%.*s\" -> \"%.*s\"",
                               (int)name, at, len_of(here), here, len_of(there),
                               there);
            else
                (void)snprintf(said, sizeof said, "%.*s: %s", (int)name, at,
                               turn ? "was not there before" : "is gone");
            n++;
            tell(ctx, said);
        }
    return n;
}
