/* A gate that hands its end of the port to the test: connects to the socket
 * that --listen names, sends its fd 3 there, and lives until the executor
 * closes the port or a minute has passed. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/port.h"

int main(int argc, char **argv)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *url = argc > 2 ? argv[2] : "";
    struct why why;
    uid_t uid = getuid();
    if (strncmp(url, "ipc://", 6) != 0)
        return 1;
    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", url + 6);
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0 || connect(sock, (struct sockaddr *)&to, sizeof to)) {
        (void)fprintf(stderr, "pitwall-gate: %s: %s\n", url, strerror(errno));
        return 1;
    }
    if (port_send(sock, &uid, sizeof uid, PORT_FD, &why))
        return 1;
    struct pollfd p = {.fd = PORT_FD, .events = 0};
    (void)poll(&p, 1, 60000);
    return 0;
}
