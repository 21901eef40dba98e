#include "agent/executor/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/executor/nic.h"
#include "agent/executor/pin.h"

const char *facts_mode_name(enum facts_mode mode)
{
    static const char *const names[] = {[FACTS_NETNS] = "netns",
                                        [FACTS_USERNS] = "userns",
                                        [FACTS_PLAIN] = "plain"};
    return names[mode];
}

static enum err write_file(const char *path, const char *text, struct why *why)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "open %s", path);
    ssize_t n = write(fd, text, strlen(text));
    int saved = errno;
    (void)close(fd);
    return n < 0 ? err_errno(why, saved, "write %s", path) : ERR_OK;
}

/* Become uid 0 of a new user namespace. */
static enum err enter_userns(struct why *why)
{
    char uid[40], gid[40];
    (void)snprintf(uid, sizeof uid, "0 %u 1\n", (unsigned)geteuid());
    (void)snprintf(gid, sizeof gid, "0 %u 1\n", (unsigned)getegid());
    if (unshare(CLONE_NEWUSER))
        return err_errno(why, errno, "make a user namespace");
    /* The change of credentials hid us from /proc, and our cages with us. */
    (void)prctl(PR_SET_DUMPABLE, 1);
    enum err e = write_file("/proc/self/setgroups", "deny", why);
    if (!e)
        e = write_file("/proc/self/uid_map", uid, why);
    return e ? e : write_file("/proc/self/gid_map", gid, why);
}

/* In a helper, whose user namespace goes with it. */
static enum err try_userns(void *arg, struct why *why)
{
    struct cage cage = CAGE_NONE;
    (void)arg;
    enum err e = enter_userns(why);
    if (!e)
        e = cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, why);
    cage_close(&cage);
    return e;
}

static enum err choose_mode(struct facts *f, struct why *why)
{
    struct cage cage = CAGE_NONE;
    struct why refusal = {0};
    enum err e = cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, &refusal);
    cage_close(&cage);
    f->mode = FACTS_NETNS;
    if (!e)
        return ERR_OK;
    e = cage_run(NULL, try_userns, NULL, 0, &refusal);
    if (e) {
        f->mode = FACTS_PLAIN;
        (void)snprintf(f->refusal, sizeof f->refusal, "%.199s", refusal.text);
        return ERR_OK;
    }
    f->mode = FACTS_USERNS;
    return enter_userns(why);
}

static enum err probe_kernel(struct facts *f, struct why *why)
{
    struct cage cage = CAGE_NONE;
    enum err e = cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, why);
    if (!e) {
        f->veth = link_has_veth(&cage);
        f->tbf = link_has_rate(&cage);
    }
    cage_close(&cage);
    if (!e)
        e = cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, why);
    if (!e)
        f->netem = link_has_delay(&cage);
    cage_close(&cage);
    return e;
}

/* In a cage as trials have it, where there are cages. */
static enum err probe_perf(struct facts *f, struct why *why)
{
    struct cage cage = CAGE_NONE;
    enum err e = f->mode == FACTS_PLAIN
                     ? ERR_OK
                     : cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, why);
    if (!e)
        perf_probe(&f->perf, f->mode == FACTS_PLAIN ? NULL : &cage);
    cage_close(&cage);
    return e;
}

static enum err read_cpus(struct facts *f, const char *cpus, struct why *why)
{
    cpu_set_t wanted;
    if (sched_getaffinity(0, sizeof f->cpus, &f->cpus))
        return err_errno(why, errno, "read the processors");
    if (!cpus[0])
        return ERR_OK;
    enum err e = pin_parse(cpus, &wanted, why);
    if (e)
        return e;
    CPU_AND(&f->cpus, &f->cpus, &wanted);
    if (CPU_COUNT(&f->cpus) == 0)
        return err_set(why, ERR_INVALID, "cpus %s: none of them is here", cpus);
    return ERR_OK;
}

enum err facts_boot_id(char boot_id[37], struct why *why)
{
    static const char path[] = "/proc/sys/kernel/random/boot_id";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "open %s", path);
    ssize_t n = read(fd, boot_id, 36);
    (void)close(fd);
    boot_id[n == 36 ? 36 : 0] = '\0';
    return n == 36 ? ERR_OK : err_set(why, ERR_IO, "%s: no uuid", path);
}

enum err facts_probe(struct facts *f, const char *cpus, struct why *why)
{
    *f = (struct facts){.mode = FACTS_PLAIN};
    enum err e = facts_boot_id(f->boot_id, why);
    if (!e)
        e = read_cpus(f, cpus, why);
    if (!e)
        e = choose_mode(f, why);
    if (!e && f->mode != FACTS_PLAIN)
        e = probe_kernel(f, why);
    if (!e)
        e = probe_perf(f, why);
    return e ? err_wrap(why, e, "find out what this machine can do") : ERR_OK;
}

void facts_nic(struct facts *f, const char *interface, const char *listen)
{
    struct why why = {""};
    enum err e = nic_find(interface, listen, &f->nic, &why);
    (void)snprintf(f->nic_missing, sizeof f->nic_missing, "%.199s",
                   e ? why.text : "");
}

void facts_groups(struct facts *f, const struct groups *groups)
{
    f->groups = groups->n > 0;
    f->limits = (groups->can & HIERARCHY_LIMITS) == HIERARCHY_LIMITS;
    (void)snprintf(f->groups_missing, sizeof f->groups_missing, "%s",
                   groups->missing);
}

void facts_features(const struct facts *f, char *buf, size_t size)
{
    (void)snprintf(buf, size, "%s%s%s%s%s%s%s%s%s%s", facts_mode_name(f->mode),
                   f->veth ? ",veth" : "", f->tbf ? ",tbf" : "",
                   f->netem ? ",netem" : "", f->nic.dev[0] ? ",ethernet" : "",
                   f->mode == FACTS_NETNS ? ",journal" : "",
                   f->groups ? ",cgroup" : "", f->limits ? ",limits" : "",
                   f->perf.stacks ? ",perf" : "",
                   f->perf.reads ? ",reads" : "");
}

void facts_missing(const struct facts *f, char *buf, size_t size)
{
    bool cages = f->mode != FACTS_PLAIN;
    const struct {
        bool lacks;
        const char *text, *reason;
    } all[] = {
        {cages && !f->veth,
         "no veth links: ", "this kernel has no veth (modprobe veth)"},
        {cages && !f->tbf,
         "no rate on links: ", "this kernel has no tbf (modprobe sch_tbf)"},
        {cages && !f->netem, "no delay on links: ",
         "this kernel has no netem (modprobe sch_netem)"},
        {f->mode == FACTS_USERNS,
         "no settings of the whole machine: ", "run pitwall-agent as root"},
        {f->groups_missing[0], "", f->groups_missing},
        {!f->perf.stacks, "no telemetry perf: ", f->perf.stacks_missing},
        {!f->perf.reads, "no telemetry reads: ", f->perf.reads_missing}};
    size_t used = 0;
    buf[0] = '\0';
    if (!cages)
        used = (size_t)snprintf(
            buf, size,
            "no namespaces (%.100s): only plain loopback, no veth link, no "
            "rmem, no sysctl; run pitwall-agent as root, or allow user "
            "namespaces (sysctl kernel.unprivileged_userns_clone=1, more of "
            "user.max_user_namespaces, or an AppArmor rule)",
            f->refusal);
    for (size_t i = 0; i < sizeof all / sizeof *all && used < size; i++)
        if (all[i].lacks) {
            int n = snprintf(buf + used, size - used, "%s%s%s",
                             used ? "; " : "", all[i].text, all[i].reason);
            used += n > 0 ? (size_t)n : 0;
        }
}
