#include "tests/unit/target/client.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/check.h"

int client_dial(const struct running *r)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons(server_port(r->server)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    /* Nothing here takes long; a lost answer is to fail, not to hang. */
    struct timeval limit = {.tv_sec = 20};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (!connect(fd, (struct sockaddr *)&a, sizeof a))
        return fd;
    (void)close(fd);
    return -1;
}

int client_connect(const struct running *r)
{
    int fd = client_dial(r);
    assert_true(fd >= 0);
    return fd;
}

bool client_send(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

void client_request(int fd, const char *method, const char *target,
                    const char *body, size_t len)
{
    char head[512];
    int n = snprintf(head, sizeof head,
                     "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n",
                     method, target, len);
    assert_true(client_send(fd, head, (size_t)n));
    if (len)
        assert_true(client_send(fd, body, len));
}

/* Bytes until the blank line, one by one: nothing of the next response may be
 * taken. */
static bool read_head(int fd, char *head, size_t size)
{
    size_t n = 0;
    while (n < size - 1 && recv(fd, head + n, 1, 0) == 1) {
        head[++n] = '\0';
        if (n >= 4 && !memcmp(head + n - 4, "\r\n\r\n", 4))
            return true;
    }
    return false;
}

unsigned client_response(int fd, char **body)
{
    char head[1024];
    unsigned status;
    if (!read_head(fd, head, sizeof head))
        return 0;
    assert_int_equal(sscanf(head, "HTTP/1.1 %u", &status), 1);
    const char *field = strstr(head, "content-length: ");
    size_t len = field ? strtoul(field + 16, NULL, 10) : 0, n = 0;
    char *text = malloc(len + 1);
    assert_non_null(text);
    while (n < len) {
        ssize_t got = recv(fd, text + n, len - n, 0);
        assert_true(got > 0);
        n += (size_t)got;
    }
    text[len] = '\0';
    if (body)
        *body = text;
    else
        free(text);
    return status;
}

unsigned client_once(const struct running *r, const char *method,
                     const char *target, const char *body)
{
    int fd = client_connect(r);
    client_request(fd, method, target, body, strlen(body));
    unsigned status = client_response(fd, NULL);
    (void)close(fd);
    return status;
}
