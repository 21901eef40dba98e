#include "agent/gate/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static enum err write_all(int fd, const uint8_t *data, size_t len,
                          struct why *why)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = pwrite(fd, data + at, len - at, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_errno(why, n ? errno : ENOSPC, "write");
        at += (size_t)n;
    }
    return ERR_OK;
}

enum err sealed_make(const void *data, size_t len, int *fd, struct why *why)
{
    const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    enum err e = ERR_OK;
    *fd = -1;
    int made = memfd_create("plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made < 0) {
        e = err_errno(why, errno, "memfd_create");
        goto out;
    }
    e = write_all(made, data, len, why);
    if (e)
        goto out;
    if (fcntl(made, F_ADD_SEALS, seals)) {
        e = err_errno(why, errno, "F_ADD_SEALS");
        goto out;
    }
    *fd = made;
    made = -1;
out:
    if (e)
        err_wrap(why, e, "seal %zu bytes", len);
    if (made >= 0)
        (void)close(made);
    return e;
}
