#include "tests/unit/chan/raw.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/lib/check.h"

static socklen_t address(const char *url, struct sockaddr_storage *to)
{
    memset(to, 0, sizeof *to);
    if (!strncmp(url, "ipc://", 6)) {
        struct sockaddr_un *un = (struct sockaddr_un *)to;
        un->sun_family = AF_UNIX;
        (void)snprintf(un->sun_path, sizeof un->sun_path, "%s", url + 6);
        return sizeof *un;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)to;
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in->sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1));
    return sizeof *in;
}

int raw_connect(const char *url)
{
    struct sockaddr_storage to;
    socklen_t len = address(url, &to);
    int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, len), 0);
    return fd;
}

int raw_listen(const char *url)
{
    struct sockaddr_storage at;
    socklen_t len = address(url, &at);
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

bool raw_write(int fd, const void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n =
            send(fd, (const char *)data + done, len - done, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool raw_read(int fd, void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = recv(fd, (char *)data + done, len - done, 0);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

void raw_greeting(uint8_t out[8], uint8_t protocol)
{
    memcpy(out, (uint8_t[]){0, 'S', 'P', 0, 0, protocol, 0, 0}, 8);
}

void raw_frame(uint8_t out[9], uint64_t len)
{
    out[0] = 1;
    for (unsigned i = 0; i < 8; i++)
        out[1 + i] = (uint8_t)(len >> (56 - 8 * i));
}
