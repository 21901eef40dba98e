/* A datagram of sock_diag answers, looked at as the sampler does. */
#include <stdlib.h>

#include "agent/watch/sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sockets sockets;
    const struct tcpinfo_visitor visitor = {sockets_add, &sockets};
    struct record_sample_tcp r;
    bool done = false;
    if (!sockets.now && sockets_init(&sockets, NULL))
        abort();
    sockets_begin(&sockets);
    enum err ignored = tcpinfo_parse(data, size, 7, &visitor, &done, NULL);
    (void)ignored;
    sockets_end(&sockets);
    sockets_take(&sockets, &r);
    if (r.rcvbuf_min > r.rcvbuf_max)
        abort();
    return 0;
}
