#include "load/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define HTTP  "http://"
#define HTTPS "https://"

static enum err refuse(const char *url, struct why *why, const char *what)
{
    return err_set(why, ERR_USAGE,
                   "URL \"%.200s\": %s; accepted: http[s]://HOST[:PORT][/PATH]",
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

/* host[:port] of the URL into name and port; the brackets of an IPv6 address
 * are taken off. */
static enum err authority_parse(struct address *out, const char *url,
                                const char *text, size_t len, struct why *why)
{
    const char *end = text + len, *host_end = end, *port = NULL;
    if (len && *text == '[') {
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
    memcpy(out->name, text, host_len);
    out->name[host_len] = 0;
    (void)snprintf(out->port, sizeof out->port, out->tls ? "443" : "80");
    if (!port)
        return ERR_OK;
    size_t port_len = (size_t)(end - port);
    if (port_len >= sizeof out->port)
        return refuse(url, why, "a port that is none");
    memcpy(out->port, port, port_len);
    out->port[port_len] = 0;
    return port_good(out->port) ? ERR_OK
                                : refuse(url, why, "a port that is none");
}

static enum err find(struct address *out, struct why *why)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int e = getaddrinfo(out->name, out->port, &hints, &list);
    if (e)
        return err_set(why, ERR_NOTFOUND, "host %s: %s", out->name,
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
                   ip, out->port);
    return ERR_OK;
}

enum err address_parse(struct address *out, const char *url, bool resolve,
                       struct why *why)
{
    *out = (struct address){.path = "/"};
    out->tls = !strncmp(url, HTTPS, strlen(HTTPS));
    if (!out->tls && strncmp(url, HTTP, strlen(HTTP)) != 0)
        return refuse(url, why, "no http:// or https:// at its beginning");
    const char *rest = url + strlen(out->tls ? HTTPS : HTTP);
    size_t len = strcspn(rest, "/?#");
    if (memchr(rest, '@', len))
        return refuse(url, why, "a user name (there is --user)");
    enum err e = authority_parse(out, url, rest, len, why);
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
    bool v6 = *rest == '[';
    bool usual = !strcmp(out->port, out->tls ? "443" : "80");
    (void)snprintf(out->host, sizeof out->host, "%s%s%s%s%s", v6 ? "[" : "",
                   out->name, v6 ? "]" : "", usual ? "" : ":",
                   usual ? "" : out->port);
    if (resolve)
        return find(out, why);
    (void)snprintf(out->text, sizeof out->text, "%.60s:%s", out->name,
                   out->port);
    return ERR_OK;
}
