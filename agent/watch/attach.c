#include "agent/watch/attach.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/watch/status.h"
#include "common/clock.h"

#define LOOK_NS (20 * NS_PER_MS)

/* Where the machine's own /tmp is, and what stands in it. */
struct place {
    char socket[96], wish[96];
    int pid;
};

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to)) {
        int saved = errno;
        (void)close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

/* It listens once SIGQUIT finds the file. */
static enum err wake(const struct place *p, int *fd, uint64_t due_ns,
                     struct why *why)
{
    int wish = open(p->wish, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (wish < 0 && errno != EEXIST)
        return err_errno(why, errno, "make %s", p->wish);
    if (wish >= 0)
        (void)close(wish);
    enum err e =
        kill(p->pid, SIGQUIT) ? err_errno(why, errno, "signal it") : ERR_OK;
    while (!e && (*fd = connect_to(p->socket)) < 0) {
        if (clock_mono_ns() >= due_ns)
            e = err_set(why, ERR_TIMEOUT,
                        "it does not listen at %s "
                        "(-XX:+DisableAttachMechanism?)",
                        p->socket);
        else
            clock_sleep_until(clock_mono_ns() + LOOK_NS);
    }
    if (wish >= 0)
        (void)unlink(p->wish);
    return e;
}

static enum err await(int fd, uint64_t due_ns, struct why *why)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (;;) {
        int n = poll(&p, 1, clock_poll_ms(clock_mono_ns(), due_ns));
        if (n > 0)
            return ERR_OK;
        if (n < 0 && errno != EINTR)
            return err_errno(why, errno, "wait for its answer");
        if (n == 0 && clock_mono_ns() >= due_ns)
            return err_set(why, ERR_TIMEOUT, "it does not answer");
    }
}

/* Version, command and three arguments, each ended by a zero byte; the answer
 * is a number in digits, a line end, and text. */
static enum err ask(int fd, const char *wish, uint64_t due_ns, struct why *why)
{
    char words[ATTACH_WISH_MAX + 16] = "1\0jcmd", answer[200];
    size_t head = sizeof "1\0jcmd", size = head + strlen(wish) + 3;
    size_t len = 0;
    memcpy(words + head, wish, strlen(wish));
    ssize_t n = send(fd, words, size, MSG_NOSIGNAL);
    if (n != (ssize_t)size)
        return err_errno(why, n < 0 ? errno : EPIPE, "ask");
    enum err e = ERR_OK;
    do {
        e = await(fd, due_ns, why);
        if (e)
            return e;
        n = read(fd, answer + len, sizeof answer - 1 - len);
        len += n > 0 ? (size_t)n : 0;
    } while (n > 0 && len < sizeof answer - 1);
    answer[len] = '\0';
    if (!strncmp(answer, "0\n", 2))
        return ERR_OK;
    for (char *c = answer; *c; c++)
        if (*c < ' ')
            *c = ' ';
    return err_set(why, ERR_UNSUPPORTED, "%s: %.150s", wish, answer);
}

enum err attach_ask(const char *proc_dir, int pid, const char *wish,
                    uint64_t due_ns, struct why *why)
{
    assert(strlen(wish) <= ATTACH_WISH_MAX);
    struct place p = {.pid = pid};
    struct status status;
    int fd = -1;
    if (!status_read(&status, proc_dir, pid))
        return err_set(why, ERR_NOTFOUND, "JVM %d has ended", pid);
    /* SIGQUIT would end one that does not listen to it. */
    if (!(status.caught & 1u << (SIGQUIT - 1)))
        return err_set(why, ERR_UNSUPPORTED, "JVM %d takes no wishes (-Xrs)",
                       pid);
    (void)snprintf(p.socket, sizeof p.socket, "%.40s/%d/root/tmp/.java_pid%d",
                   proc_dir, pid, status.own_pid);
    (void)snprintf(p.wish, sizeof p.wish, "%.40s/%d/root/tmp/.attach_pid%d",
                   proc_dir, pid, status.own_pid);
    enum err e = ERR_OK;
    if ((fd = connect_to(p.socket)) < 0)
        e = wake(&p, &fd, due_ns, why);
    if (!e)
        e = ask(fd, wish, due_ns, why);
    if (fd >= 0)
        (void)close(fd);
    return e ? err_wrap(why, e, "JVM %d", pid) : ERR_OK;
}
