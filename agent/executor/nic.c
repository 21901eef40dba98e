#include "agent/executor/nic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* discard: a datagram socket sends nothing by connecting */
#define ANY_PORT 9

/* The IPv4 address of ifa in host order; 0: another family. */
static uint32_t ipv4_of(const struct ifaddrs *ifa)
{
    struct sockaddr_in in;
    if (!ifa->ifa_addr || ifa->ifa_addr->sa_family != AF_INET)
        return 0;
    memcpy(&in, ifa->ifa_addr, sizeof in);
    return ntohl(in.sin_addr.s_addr);
}

/* The first address that is dev's, or that is address (host order, 0: any). */
static enum err look(const char *dev, uint32_t address, struct link_end *out,
                     struct why *why)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all))
        return err_errno(why, errno, "read the addresses");
    enum err e = ERR_NOTFOUND;
    for (struct ifaddrs *i = all; e && i; i = i->ifa_next) {
        uint32_t own = ipv4_of(i);
        if (!own || (address && own != address) ||
            (dev && strcmp(i->ifa_name, dev) != 0))
            continue;
        struct in_addr in = {.s_addr = htonl(own)};
        (void)snprintf(out->dev, sizeof out->dev, "%.15s", i->ifa_name);
        (void)inet_ntop(AF_INET, &in, out->address, sizeof out->address);
        e = ERR_OK;
    }
    freeifaddrs(all);
    return e;
}

/* The IPv4 address of a URL "scheme://A.B.C.D:port"; false: none. */
static bool url_address(const char *url, struct in_addr *out)
{
    char host[INET_ADDRSTRLEN];
    const char *at = strstr(url, "://");
    if (!at)
        return false;
    at += 3;
    size_t len = strcspn(at, ":/");
    if (len >= sizeof host)
        return false;
    memcpy(host, at, len);
    host[len] = '\0';
    return inet_pton(AF_INET, host, out) == 1;
}

enum err nic_find(const char *interface, const char *listen,
                  struct link_end *out, struct why *why)
{
    struct in_addr in;
    *out = (struct link_end){0};
    if (interface[0]) {
        enum err e = look(interface, 0, out, why);
        if (e == ERR_NOTFOUND)
            return err_set(why, e,
                           "interface %s: not here, or without an IPv4 "
                           "address",
                           interface);
        return e;
    }
    if (url_address(listen, &in) && !look(NULL, ntohl(in.s_addr), out, why) &&
        strcmp(out->dev, "lo") != 0)
        return ERR_OK;
    *out = (struct link_end){0};
    return err_set(why, ERR_NOTFOUND,
                   "no address for load from other machines: name its "
                   "\"interface\" in the agent's configuration");
}

enum err nic_toward(const char *address, struct link_end *out, struct why *why)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(ANY_PORT)};
    struct sockaddr_in own = {0};
    socklen_t len = sizeof own;
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
        return err_set(why, ERR_INVALID, "\"%.60s\"; accepted: an IPv4 address",
                       address);
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return err_errno(why, errno, "socket");
    bool bad = connect(sock, (struct sockaddr *)&to, sizeof to) ||
               getsockname(sock, (struct sockaddr *)&own, &len);
    int saved = errno;
    (void)close(sock);
    if (bad)
        return err_errno(why, saved, "no way to %s", address);
    if (own.sin_addr.s_addr == to.sin_addr.s_addr)
        return err_set(why, ERR_UNSUPPORTED,
                       "%s is this machine's own address; ethernet needs a "
                       "second machine; on one machine use "
                       "veth:mtu=1500+rate=1gbit+burst=32kb+offloads=off",
                       address);
    enum err e = look(NULL, ntohl(own.sin_addr.s_addr), out, why);
    return e == ERR_NOTFOUND
               ? err_set(why, e, "no interface leads to %s", address)
               : e;
}

uint32_t nic_speed_mbit(const char *dev)
{
    char path[64];
    long speed = 0;
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/speed", dev);
    FILE *in = fopen(path, "re");
    char line[32];
    if (in && fgets(line, sizeof line, in))
        speed = strtol(line, NULL, 10);
    if (in)
        (void)fclose(in);
    return speed > 0 && speed < INT32_MAX ? (uint32_t)speed : 0;
}
