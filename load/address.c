#include "load/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SCHEME "http://"

/* host[:port] of the URL, brackets taken off an IPv6 address. */
struct authority {
    char host[ADDRESS_HOST_MAX + 1], port[6];
    bool v6;
};

static enum err refuse(const char *url, struct why *why, const char *what)
{
    return err_set(why, ERR_USAGE,
                   "URL \"%.200s\": %s; accepted: http://HOST[:PORT][/PATH]",
                   url, what);
}

static bool port_good(const char *port)
{
    unsigned n = 0;
    size_t len = strlen(port);
    if (!len || len > 5 || strspn(port, "0123456789") != len)
        return false;
    (void)sscanf(port, "%u", &n);
    return n >= 1 && n <= 65535;
}

static enum err authority_parse(struct authority *a, const char *url,
                                const char *text, size_t len, struct why *why)
{
    const char *end = text + len, *host_end = end, *port = NULL;
    a->v6 = len && *text == '[';
    if (a->v6) {
        host_end = memchr(text, ']', len);
        if (!host_end)
            return refuse(url, why, "an unclosed [");
        text++;
        if (host_end + 1 < end && host_end[1] != ':')
            return refuse(url, why, "a host behind ]");
        port = host_end + 1 < end ? host_end + 2 : NULL;
    } else {
        const char *colon = memchr(text, ':', len);
        if (colon) {
            host_end = colon;
            port = colon + 1;
        }
    }
    size_t host_len = (size_t)(host_end - text);
    if (!host_len || host_len > ADDRESS_HOST_MAX)
        return refuse(url, why, "no host, or one that is too long");
    memcpy(a->host, text, host_len);
    a->host[host_len] = 0;
    (void)snprintf(a->port, sizeof a->port, "80");
    if (!port)
        return ERR_OK;
    size_t port_len = (size_t)(end - port);
    if (port_len >= sizeof a->port)
        return refuse(url, why, "a port that is none");
    memcpy(a->port, port, port_len);
    a->port[port_len] = 0;
    return port_good(a->port) ? ERR_OK
                              : refuse(url, why, "a port that is none");
}

static enum err resolve(struct address *out, const struct authority *a,
                        struct why *why)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int e = getaddrinfo(a->host, a->port, &hints, &list);
    if (e)
        return err_set(why, ERR_NOTFOUND, "host %s: %s", a->host,
                       gai_strerror(e));
    memcpy(&out->sockaddr, list->ai_addr, list->ai_addrlen);
    out->len = list->ai_addrlen;
    freeaddrinfo(list);
    char ip[INET6_ADDRSTRLEN] = "";
    const void *from = &((struct sockaddr_in *)&out->sockaddr)->sin_addr;
    if (out->sockaddr.ss_family == AF_INET6)
        from = &((struct sockaddr_in6 *)&out->sockaddr)->sin6_addr;
    (void)inet_ntop(out->sockaddr.ss_family, from, ip, sizeof ip);
    (void)snprintf(out->text, sizeof out->text,
                   out->sockaddr.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
                   ip, a->port);
    return ERR_OK;
}

enum err address_parse(struct address *out, const char *url, struct why *why)
{
    struct authority a;
    *out = (struct address){.path = "/"};
    if (!strncmp(url, "https://", 8))
        return refuse(url, why, "TLS is not supported");
    if (strncmp(url, SCHEME, strlen(SCHEME)) != 0)
        return refuse(url, why, "no http:// at its beginning");
    const char *rest = url + strlen(SCHEME);
    size_t len = strcspn(rest, "/?#");
    if (memchr(rest, '@', len))
        return refuse(url, why, "a user name");
    enum err e = authority_parse(&a, url, rest, len, why);
    if (e)
        return e;
    const char *path = rest + len;
    size_t path_len = strcspn(path, "#");
    bool slash = *path != '/'; /* "http://host?q" means "/?q" */
    if (path_len + slash > ADDRESS_PATH_MAX)
        return refuse(url, why, "a path that is too long");
    for (size_t i = 0; i < path_len; i++)
        if ((unsigned char)path[i] <= ' ' || path[i] == 127)
            return refuse(url, why, "a blank or control character");
    memcpy(out->path + slash, path, path_len);
    (void)snprintf(out->host, sizeof out->host,
                   a.v6 ? (strcmp(a.port, "80") ? "[%s]:%s" : "[%s]")
                        : (strcmp(a.port, "80") ? "%s:%s" : "%s"),
                   a.host, a.port);
    return resolve(out, &a, why);
}
