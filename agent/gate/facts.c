#include "agent/gate/facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/gate/hostinfo.h"

#define VALUE_MAX  1000
#define FILE_MAX   (4u << 20) /* /proc/cpuinfo of 2000 CPUs; more is cut */
#define IFACES_MAX 32

/* Facts that are the first line of a file. */
static const struct {
    const char *name, *path;
} lines[] = {
    {"kernel", "/proc/sys/kernel/osrelease"},
    {"boot_id", "/proc/sys/kernel/random/boot_id"},
    {"tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem"},
    {"tcp_wmem", "/proc/sys/net/ipv4/tcp_wmem"},
    {"rmem_max", "/proc/sys/net/core/rmem_max"},
    {"wmem_max", "/proc/sys/net/core/wmem_max"},
    {"congestion", "/proc/sys/net/ipv4/tcp_congestion_control"},
    {"congestion_available",
     "/proc/sys/net/ipv4/tcp_available_congestion_control"},
    {"congestion_allowed", "/proc/sys/net/ipv4/tcp_allowed_congestion_control"},
    {"qdisc", "/proc/sys/net/core/default_qdisc"},
    {"clocksource",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"clocksources_available",
     "/sys/devices/system/clocksource/clocksource0/available_clocksource"},
    {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
    {"cpufreq_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    {"cpufreq_boost", "/sys/devices/system/cpu/cpufreq/boost"},
    {"intel_no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
    {"smt", "/sys/devices/system/cpu/smt/active"},
    {"system_vendor", "/sys/class/dmi/id/sys_vendor"},
    {"system_product", "/sys/class/dmi/id/product_name"},
};

void facts_add(struct facts *facts, const char *name, const char *value)
{
    while (*value && (unsigned char)*value <= ' ')
        value++;
    size_t len = strnlen(value, VALUE_MAX);
    while (len && (unsigned char)value[len - 1] <= ' ')
        len--;
    size_t room = sizeof facts->text - 1 - facts->len;
    if (!len || strlen(name) + 1 + len + 1 > room)
        return;
    char *out = facts->text + facts->len;
    out += sprintf(out, "%s=", name);
    for (size_t i = 0; i < len; i++)
        *out++ = (unsigned char)value[i] < ' ' ? ' ' : value[i];
    *out++ = '\n';
    *out = '\0';
    facts->len = (size_t)(out - facts->text);
}

void facts_add_lines(struct facts *facts, const char *told)
{
    char name[64], value[VALUE_MAX + 1];
    while (*told) {
        size_t len = strcspn(told, "\n"), at = strcspn(told, "=\n");
        if (at && at < len && at < sizeof name) {
            (void)snprintf(name, sizeof name, "%.*s", (int)at, told);
            (void)snprintf(value, sizeof value, "%.*s", (int)(len - at - 1),
                           told + at + 1);
            facts_add(facts, name, value);
        }
        told += len + (told[len] == '\n');
    }
}

static void add_u64(struct facts *facts, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    facts_add(facts, name, text);
}

/* The file's beginning into buf, always terminated; its length, 0 when it
 * cannot be read (many of /sys answer EINVAL or EACCES: no fact then). */
static size_t slurp(const char *root, const char *path, char *buf, size_t size)
{
    char full[4096];
    size_t len = 0;
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        ssize_t n = 0;
        while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
            len += (size_t)n;
        (void)close(fd);
    }
    buf[len] = '\0';
    return len;
}

static void add_line(struct facts *facts, const char *root, const char *name,
                     const char *path)
{
    char buf[VALUE_MAX + 1];
    (void)slurp(root, path, buf, sizeof buf);
    buf[strcspn(buf, "\n")] = '\0';
    facts_add(facts, name, buf);
}

static void add_cpu(struct facts *facts, const char *root, char *buf)
{
    struct hostinfo_cpu cpu;
    size_t len = slurp(root, "/proc/cpuinfo", buf, FILE_MAX);
    if (!len)
        return;
    hostinfo_cpu(buf, len, &cpu);
    facts->cpus = cpu.cpus ? cpu.cpus : 1;
    facts_add(facts, "cpu_model", cpu.model);
    add_u64(facts, "cpus", facts->cpus);
    facts_add(facts, "cpu_mhz", cpu.mhz);
    facts_add(facts, "hypervisor", cpu.hypervisor ? "yes" : "no");
}

static void add_memory(struct facts *facts, const char *root, char *buf)
{
    uint64_t swap = 0;
    size_t len = slurp(root, "/proc/meminfo", buf, FILE_MAX);
    if (hostinfo_meminfo(buf, len, "MemTotal", &facts->memory_bytes))
        add_u64(facts, "memory_bytes", facts->memory_bytes);
    if (hostinfo_meminfo(buf, len, "SwapTotal", &swap))
        add_u64(facts, "swap_bytes", swap);
}

static void add_rest(struct facts *facts, const char *root, char *buf)
{
    char value[VALUE_MAX];
    size_t len = slurp(root, "/etc/os-release", buf, FILE_MAX);
    if (hostinfo_os_release(buf, len, "PRETTY_NAME", value, sizeof value))
        facts_add(facts, "distribution", value);
    len = slurp(root, "/sys/kernel/mm/transparent_hugepage/enabled", buf,
                FILE_MAX);
    hostinfo_choice(buf, len, value, sizeof value);
    facts_add(facts, "thp", value);
    len = slurp(root, "/sys/devices/system/node/online", buf, FILE_MAX);
    uint32_t nodes = hostinfo_list(buf, len);
    if (nodes)
        add_u64(facts, "numa_nodes", nodes);
}

static int is_iface(const struct dirent *d)
{
    return d->d_name[0] != '.' && strlen(d->d_name) < 16;
}

/* "mtu=1500 speed=1000 driver=e1000e": what the kernel tells of it. */
static void add_iface(struct facts *facts, const char *root, const char *iface)
{
    static const char *const files[] = {"mtu", "speed", "duplex", "operstate"};
    char name[32], path[128], value[256] = "", word[64];
    size_t used = 0;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "/sys/class/net/%s/%s", iface,
                       files[i]);
        if (!slurp(root, path, word, sizeof word))
            continue;
        word[strcspn(word, "\n")] = '\0';
        if (*word && *word != '-') /* a speed of -1: the driver has none */
            used +=
                (size_t)snprintf(value + used, sizeof value - used, "%s%s=%s",
                                 used ? " " : "", files[i], word);
    }
    char link[4096], full[4096];
    (void)snprintf(full, sizeof full, "%s/sys/class/net/%s/device/driver", root,
                   iface);
    ssize_t n = readlink(full, link, sizeof link - 1);
    if (n > 0) {
        link[n] = '\0';
        const char *base = strrchr(link, '/');
        (void)snprintf(value + used, sizeof value - used, "%sdriver=%.63s",
                       used ? " " : "", base ? base + 1 : link);
    }
    (void)snprintf(name, sizeof name, "nic.%s", iface);
    facts_add(facts, name, value);
}

static void add_ifaces(struct facts *facts, const char *root)
{
    char path[4096];
    struct dirent **found = NULL;
    (void)snprintf(path, sizeof path, "%s/sys/class/net", root);
    int n = scandir(path, &found, is_iface, alphasort);
    for (int i = 0; i < n; i++) {
        if (i < IFACES_MAX)
            add_iface(facts, root, found[i]->d_name);
        free(found[i]);
    }
    free(found);
}

void facts_collect(struct facts *facts, const char *root)
{
    memset(facts, 0, sizeof *facts);
    facts->cpus = 1;
    char *buf = malloc(FILE_MAX);
    if (!buf)
        return;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(facts, root, lines[i].name, lines[i].path);
    add_cpu(facts, root, buf);
    add_memory(facts, root, buf);
    add_rest(facts, root, buf);
    add_ifaces(facts, root);
    free(buf);
}
