#include "controller/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum err interrupt_open(int *fd, struct why *why)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL))
        return err_errno(why, errno, "block signals");
    *fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return *fd < 0 ? err_errno(why, errno, "signalfd") : ERR_OK;
}

unsigned interrupt_take(int fd)
{
    struct signalfd_siginfo info;
    unsigned n = 0;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
        n++;
    return n;
}
