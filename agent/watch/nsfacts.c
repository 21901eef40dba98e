#include "agent/watch/nsfacts.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/source.h"

static const struct {
    const char *name, *path;
} settings[] = {
    {"tcp_rmem", "sys/net/ipv4/tcp_rmem"},
    {"tcp_wmem", "sys/net/ipv4/tcp_wmem"},
    {"congestion", "sys/net/ipv4/tcp_congestion_control"},
};

/* Numbers are separated by tabs; people and tests read blanks. */
static void emit_setting(const char *proc_dir, size_t i, struct emit *emit)
{
    char path[256], text[256];
    struct source source;
    (void)snprintf(path, sizeof path, "%.200s/%s", proc_dir, settings[i].path);
    source_open(&source, path);
    size_t len = source_read(&source, text, sizeof text - 1);
    source_close(&source);
    text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
    for (char *p = text; *p; p++)
        if (*p == '\t')
            *p = ' ';
    if (*text)
        emit_fact(emit, settings[i].name, text);
}

void nsfacts_emit(const char *proc_dir, const struct netdev *links, size_t n,
                  struct emit *emit)
{
    char name[32];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        emit_setting(proc_dir, i, emit);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (size_t i = 0; fd >= 0 && i < n; i++) {
        struct ifreq r = {0};
        (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%s", links[i].name);
        (void)snprintf(name, sizeof name, "mtu.%s", links[i].name);
        if (!ioctl(fd, SIOCGIFMTU, &r))
            emit_count(emit, name, (uint64_t)r.ifr_mtu);
    }
    if (fd >= 0)
        (void)close(fd);
}
