#include "agent/executor/netlink.h"

#include <netlink/netlink.h>
#include <stddef.h>

enum err netlink_error(struct why *why, int code, const char *what)
{
    static const struct {
        int nl;
        enum err e;
    } table[] = {{NLE_PERM, ERR_PERMISSION},
                 {NLE_NOACCESS, ERR_PERMISSION},
                 {NLE_EXIST, ERR_EXISTS},
                 {NLE_OBJ_NOTFOUND, ERR_NOTFOUND},
                 {NLE_NODEV, ERR_NOTFOUND},
                 {NLE_NOMEM, ERR_NOMEM},
                 {NLE_BUSY, ERR_BUSY},
                 {NLE_RANGE, ERR_RANGE},
                 {NLE_OPNOTSUPP, ERR_UNSUPPORTED}};
    enum err e = ERR_IO;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (-code == table[i].nl || code == table[i].nl)
            e = table[i].e;
    return err_set(why, e, "%s: %s", what, nl_geterror(code));
}

enum err netlink_open(struct nl_sock **out, int protocol, struct why *why)
{
    *out = nl_socket_alloc();
    if (!*out)
        return err_set(why, ERR_NOMEM, "no memory for a netlink socket");
    int r = nl_connect(*out, protocol);
    return r < 0 ? netlink_error(why, r, "netlink") : ERR_OK;
}

void netlink_close(struct nl_sock *sock)
{
    nl_socket_free(sock);
}
