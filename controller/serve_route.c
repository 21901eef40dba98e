#include "controller/serve_route.h"

#include <arpa/inet.h>
#include <string.h>

#define HOST_BYTES 64 /* an IPv6 address with its port is shorter */

/* Digits, at most max of them, not empty; *end behind them. */
static bool digits(const char *text, size_t max, int64_t *value,
                   const char **end)
{
    size_t n = strspn(text, "0123456789");
    *value = 0;
    for (size_t i = 0; i < n && i < max; i++)
        *value = 10 * *value + (text[i] - '0');
    *end = text + n;
    return n > 0 && n <= max;
}

struct serve_route serve_route_of(const char *path)
{
    static const char prefix[] = "/experiment/";
    static const struct {
        const char *rest;
        enum serve_page page;
    } pages[] = {{"", SERVE_EXPERIMENT},
                 {"/progress", SERVE_PROGRESS},
                 {"/cells", SERVE_CELLS}};
    struct serve_route out = {.page = SERVE_NONE};
    const char *rest = NULL;
    if (!strcmp(path, "/"))
        out.page = SERVE_LIST;
    if (strncmp(path, prefix, sizeof prefix - 1) ||
        !digits(path + sizeof prefix - 1, 15, &out.experiment, &rest))
        return out;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(rest, pages[i].rest))
            out.page = pages[i].page;
    return out;
}

bool serve_route_host(const char *host)
{
    char name[HOST_BYTES];
    unsigned char address[sizeof(struct in6_addr)];
    if (!host || strlen(host) >= sizeof name)
        return false;
    bool bracket = *host == '[';
    const char *from = host + bracket;
    size_t n = strcspn(from, bracket ? "]" : ":");
    const char *rest = from + n;
    if (bracket && *rest++ != ']')
        return false;
    if (*rest == ':') {
        size_t port = strspn(++rest, "0123456789");
        if (port < 1 || port > 5)
            return false;
        rest += port;
    }
    if (*rest)
        return false;
    memcpy(name, from, n);
    name[n] = '\0';
    if (bracket)
        return inet_pton(AF_INET6, name, address) == 1;
    return !strcmp(name, "localhost") || inet_pton(AF_INET, name, address) == 1;
}

bool serve_route_place(const char *text, size_t *place)
{
    int64_t value = 0;
    const char *end = NULL;
    if (!text || !digits(text, 6, &value, &end) || *end)
        return false;
    *place = (size_t)value;
    return true;
}
