#include "target/run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "common/log.h"
#include "target/server.h"

/* Signals become readable; blocked before any thread starts. */
static enum err open_signals(int *fd, struct why *why)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    *fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return *fd < 0 ? err_errno(why, errno, "signalfd") : ERR_OK;
}

/* As many connections as the machine allows this process. */
static void raise_descriptors(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r))
        return;
    r.rlim_cur = r.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &r);
}

/* Any signal ends it; on the control socket STOP or its end. */
static bool stop_asked(void *ctx, int fd)
{
    struct child_msg msg;
    (void)ctx;
    if (fd != CHILD_FD_CONTROL)
        return true;
    enum err e = child_receive(fd, &msg, NULL);
    return e ? e != ERR_AGAIN : msg.kind == CHILD_STOP;
}

static enum err write_all(int fd, const char *data, size_t len, struct why *why)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        int errnum = errno;
        if (n < 0 && errnum != EINTR)
            return err_errno(why, errnum, "write the final record");
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return ERR_OK;
}

static enum err leave_record(struct server *s, bool child, struct why *why)
{
    size_t len;
    const char *text = server_final(s, &len);
    return write_all(child ? CHILD_FD_DATA : STDOUT_FILENO, text, len, why);
}

static void say_done(const struct server *s)
{
    struct counts c;
    server_totals(s, &c);
    struct child_msg msg = {.kind = CHILD_DONE,
                            .t_ns = clock_mono_ns(),
                            .docs = c.of[TALLY_docs],
                            .bytes = c.of[TALLY_body_bytes],
                            .errors =
                                c.of[TALLY_errors] + c.of[TALLY_rejected]};
    /* The executor sees the exit as well. */
    enum err ignored = child_send(CHILD_FD_CONTROL, &msg, NULL);
    (void)ignored;
}

static enum err serve(struct server *s, bool child, int signal_fd,
                      struct why *why)
{
    struct server_stop stop = {
        .fds = {signal_fd, child ? CHILD_FD_CONTROL : -1}, .asked = stop_asked};
    struct why lost = {0};
    if (child)
        child_report(CHILD_FD_CONTROL, CHILD_READY, server_url(s));
    else
        log_info("target listening url=%s", server_url(s));
    enum err e = server_serve(s, &stop, why);
    if (e && e != ERR_OOM)
        return e;
    enum err unwritten = leave_record(s, child, &lost);
    if (!unwritten && child)
        say_done(s);
    if (!unwritten)
        return e;
    return err_set(why, unwritten, "%s", lost.text);
}

enum err run_target(const struct settings *settings, struct why *why)
{
    struct server *s = NULL;
    int signal_fd = -1;
    raise_descriptors();
    enum err e = open_signals(&signal_fd, why);
    if (!e)
        e = server_open(&s, settings, NULL, why);
    if (!e)
        e = serve(s, settings->child, signal_fd, why);
    if (e && e != ERR_OOM && settings->child)
        child_fail(CHILD_FD_CONTROL, e, why);
    server_close(s);
    if (signal_fd >= 0)
        (void)close(signal_fd);
    return e;
}
