#include "common/address.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/greeting.h"
#include "common/units.h"

#define IPC             "ipc://"
#define TCP             "tcp://"
#define TLS             "tls+tcp://"
#define SOCKET_PATH_MAX (sizeof((struct sockaddr_un *)0)->sun_path - 1)
#define HOST_MAX        255 /* RFC 1035, 2.3.4 */
#define ACCEPTED                                                               \
    "ipc://PATH, tls+tcp://[NAME@]HOST:PORT, tcp://HOST:PORT with "            \
    "--insecure-plain"

/* What follows prefix in url, NULL when it does not begin so. */
static const char *after(const char *url, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(url, prefix, n) ? NULL : url + n;
}

struct endpoint {
    char host[HOST_MAX + 1];
    char port[6];
};

/* HOST:PORT or [HOST]:PORT. */
static bool split(const char *text, struct endpoint *to)
{
    bool bracket = *text == '[';
    text += bracket;
    size_t n = strcspn(text, bracket ? "]@" : ":@");
    const char *port = text + n + (bracket && text[n]);
    uint64_t number = 0;
    if (!n || n > HOST_MAX || (bracket && text[n] != ']') || *port != ':' ||
        !port[1] || strlen(port) > 6 ||
        units_u64(port + 1, 65535, &number, NULL) || !number)
        return false;
    memcpy(to->host, text, n);
    to->host[n] = '\0';
    memcpy(to->port, port + 1, strlen(port));
    return true;
}

bool address_is_tls(const char *url)
{
    return after(url, TLS) != NULL;
}

enum err address_tls(const char *url, struct address_tls *out, struct why *why)
{
    struct endpoint at = {.host = ""};
    const char *rest = after(url, TLS);
    const char *sign = rest ? strchr(rest, '@') : NULL;
    size_t n = sign ? (size_t)(sign - rest) : 0;
    bool good = rest && split(sign ? sign + 1 : rest, &at);
    if (!sign)
        n = strlen(at.host);
    if (!good || !n || n > ADDRESS_NAME_MAX)
        return err_set(why, ERR_USAGE,
                       "%s: not an address; accepted: " ACCEPTED
                       "; NAME is the agent's, of at most %u bytes",
                       url, ADDRESS_NAME_MAX);
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)n,
                   sign ? rest : at.host);
    (void)snprintf(out->url, sizeof out->url, TLS "%s", sign ? sign + 1 : rest);
    return ERR_OK;
}

enum err address_check(const char *url, bool plain_ok, struct why *why)
{
    struct endpoint unused;
    const char *rest = after(url, IPC);
    if (rest && strlen(rest) > SOCKET_PATH_MAX)
        return err_set(why, ERR_USAGE,
                       "%s: a socket's path has at most %zu "
                       "bytes",
                       url, SOCKET_PATH_MAX);
    if (rest && *rest)
        return ERR_OK;
    if (address_is_tls(url)) {
        struct address_tls tls;
        return address_tls(url, &tls, why);
    }
    rest = after(url, TCP);
    if (!rest || !split(rest, &unused))
        return err_set(why, ERR_USAGE,
                       "%s: not an address; accepted: " ACCEPTED, url);
    if (!plain_ok)
        return err_set(why, ERR_USAGE,
                       "%s: plain tcp is open to everyone on the way; use "
                       "tls+tcp:// or ipc://, or add --insecure-plain",
                       url);
    return ERR_OK;
}

/* Wait for events until due_ns; false: it has passed. */
static bool wait_for(int fd, short events, uint64_t due_ns)
{
    struct pollfd p = {.fd = fd, .events = events};
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        if (poll(&p, 1, clock_poll_ms(now_ns, due_ns)) > 0)
            return true;
        if (now_ns >= due_ns)
            return false;
    }
}

/* errno of connecting by due_ns, 0 when connected. */
static int try_connect(int fd, const struct sockaddr *to, socklen_t len,
                       uint64_t due_ns)
{
    int number = connect(fd, to, len) ? errno : 0;
    socklen_t size = sizeof number;
    if (number != EINPROGRESS)
        return number;
    if (!wait_for(fd, POLLOUT, due_ns))
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) ? errno
                                                                : number;
}

static enum err greet(int fd, uint64_t due_ns, const char *url, struct why *why)
{
    uint8_t theirs[GREETING_BYTES];
    size_t len = 0;
    ssize_t n = send(fd, GREETING_REQ, GREETING_BYTES, MSG_NOSIGNAL);
    while (n > 0 && len < sizeof theirs) {
        if (!wait_for(fd, POLLIN, due_ns))
            return err_set(why, ERR_TIMEOUT,
                           "%s: takes connections, but does not answer", url);
        n = recv(fd, theirs + len, sizeof theirs - len, 0);
        len += n > 0 ? (size_t)n : 0;
    }
    if (len == sizeof theirs && !memcmp(theirs, GREETING_REP, sizeof theirs))
        return ERR_OK;
    return err_set(why, ERR_PROTOCOL, "%s: takes connections, but is no agent",
                   url);
}

static enum err connect_to(const struct sockaddr *to, socklen_t len,
                           uint64_t due_ns, const char *url, int *fd,
                           struct why *why)
{
    *fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return err_errno(why, errno, "%s", url);
    int number = try_connect(*fd, to, len, due_ns);
    if (!number)
        return ERR_OK;
    (void)close(*fd);
    *fd = -1;
    return err_errno(why, number, "%s", url);
}

static enum err connect_ipc(const char *path, uint64_t due_ns, const char *url,
                            int *fd, struct why *why)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    return connect_to((struct sockaddr *)&un, sizeof un, due_ns, url, fd, why);
}

static enum err connect_tcp(const struct endpoint *at, uint64_t due_ns,
                            const char *url, int *fd, struct why *why)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int rc = getaddrinfo(at->host, at->port, &hints, &found);
    if (rc)
        return err_set(why, ERR_NOTFOUND, "%s: %s", url, gai_strerror(rc));
    enum err e =
        connect_to(found->ai_addr, found->ai_addrlen, due_ns, url, fd, why);
    freeaddrinfo(found);
    return e;
}

enum err address_connect(const char *url, uint64_t due_ns, int *fd,
                         struct why *why)
{
    struct endpoint at;
    const char *rest = after(url, IPC);
    *fd = -1;
    if (rest)
        return connect_ipc(rest, due_ns, url, fd, why);
    rest = after(url, TCP);
    if (!rest)
        rest = after(url, TLS);
    if (rest && split(rest, &at))
        return connect_tcp(&at, due_ns, url, fd, why);
    return err_set(why, ERR_USAGE, "%s: not an address", url);
}

enum err address_probe(const char *url, uint64_t due_ns, struct why *why)
{
    int fd;
    enum err e = address_connect(url, due_ns, &fd, why);
    if (e)
        return e;
    e = greet(fd, due_ns, url, why);
    (void)close(fd);
    return e;
}
