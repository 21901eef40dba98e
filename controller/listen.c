#include "controller/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 64

/* "[::1]:7480" to host and port; false: it is not of that shape. */
static bool split(const char *address, char *host, size_t size,
                  const char **port)
{
    bool bracket = *address == '[';
    const char *from = address + bracket;
    const char *colon = strrchr(address, ':');
    size_t n = colon ? (size_t)(colon - from) : 0;
    if (!colon || colon <= from || n >= size || n < (bracket ? 2u : 1u))
        return false;
    if (bracket && from[--n] != ']')
        return false;
    memcpy(host, from, n);
    host[n] = '\0';
    *port = colon + 1;
    return (bracket || !strchr(host, ':')) &&
           strspn(*port, "0123456789") == strlen(*port) && **port;
}

static enum err bind_to(const struct addrinfo *at, int *fd, struct why *why)
{
    int on = 1;
    *fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return err_errno(why, errno, "socket");
    if (!setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(*fd, at->ai_addr, at->ai_addrlen) && !listen(*fd, BACKLOG))
        return ERR_OK;
    int code = errno;
    (void)close(*fd);
    *fd = -1;
    return err_errno(why, code, "listen");
}

/* Where it really is, for people and for the check of who reaches it. */
static enum err describe(struct listen *out, struct why *why)
{
    struct sockaddr_storage at;
    socklen_t len = sizeof at;
    char host[64], port[8];
    if (getsockname(out->fd, (struct sockaddr *)&at, &len) ||
        getnameinfo((struct sockaddr *)&at, len, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        return err_errno(why, errno, "listen");
    bool six = at.ss_family == AF_INET6;
    out->loopback = six ? !strcmp(host, "::1") : !strncmp(host, "127.", 4);
    (void)snprintf(out->url, sizeof out->url, "http://%s%s%s:%s/",
                   six ? "[" : "", host, six ? "]" : "", port);
    return ERR_OK;
}

enum err listen_open(const char *address, struct listen *out, struct why *why)
{
    static const struct addrinfo hints = {
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
        .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[64];
    const char *port = NULL;
    *out = (struct listen){.fd = -1};
    if (!split(address, host, sizeof host, &port) ||
        getaddrinfo(host, port, &hints, &found))
        return err_set(why, ERR_USAGE,
                       "--listen: \"%s\" is not ADDRESS:PORT with an address "
                       "in numbers, such as 127.0.0.1:7480 or [::1]:7480",
                       address);
    enum err e = bind_to(found, &out->fd, why);
    freeaddrinfo(found);
    if (!e)
        e = describe(out, why);
    if (e && out->fd >= 0) {
        (void)close(out->fd);
        out->fd = -1;
    }
    return e ? err_wrap(why, e, "--listen %s", address) : ERR_OK;
}
