#include "agent/executor/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/cage_tmp.h"
#include "common/clock.h"

#define CLOSE_NS (2 * NS_PER_S)
#define RUN_NS   (10 * NS_PER_S)

/* What the stub reports when it is settled. */
struct settled {
    int errnum;
    char step[60];
};

static int fail_step(struct settled *s, const char *step)
{
    s->errnum = errno;
    (void)snprintf(s->step, sizeof s->step, "%s", step);
    return -1;
}

/* Every mount read-only, save the writable folders, which become mounts of
 * their own. */
static int make_read_only(struct settled *s, const char *const *writable)
{
    struct mount_attr set = {.attr_set = MOUNT_ATTR_RDONLY};
    struct mount_attr clear = {.attr_clr = MOUNT_ATTR_RDONLY};
    for (const char *const *w = writable; w && *w; w++)
        if (mount(*w, *w, NULL, MS_BIND, NULL))
            return fail_step(s, "mount a writable folder");
    if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &set, sizeof set))
        return fail_step(s, "make mounts read-only");
    for (const char *const *w = writable; w && *w; w++)
        if (mount_setattr(AT_FDCWD, *w, 0, &clear, sizeof clear))
            return fail_step(s, "make a folder writable");
    return 0;
}

static int settle_namespaces(struct settled *s, int lent_net,
                             const char *const *writable)
{
    if (lent_net >= 0 && setns(lent_net, CLONE_NEWNET))
        return fail_step(s, "join the network namespace");
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return fail_step(s, "make mounts private");
    if (make_read_only(s, writable))
        return -1;
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        return fail_step(s, "mount a fresh /proc");
    /* Where it cannot be had, what wants it finds /tmp read-only. */
    (void)cage_tmp_make();
    return 0;
}

static int settle_plain(struct settled *s)
{
    return setpgid(0, 0) ? fail_step(s, "make a process group") : 0;
}

/* The stub: settle, report on `report`, then wait for the end of `life`.
 * Orphans of the namespace come to it and are reaped by the kernel. */
static void stub(enum cage_mode mode, int lent_net, const char *const *writable,
                 int report, int life)
{
    struct settled s = {0};
    sigset_t none;
    (void)sigemptyset(&none);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "pitwall-cage");
    (void)signal(SIGCHLD, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    int bad = mode == CAGE_PLAIN ? settle_plain(&s)
                                 : settle_namespaces(&s, lent_net, writable);
    /* Nothing of the executor may live on in here, and when it knows that we
     * are settled nothing does: its lock is among it. */
    report = fcntl(report, F_DUPFD, 3); /* neither may be 0 or 1 already */
    (void)dup2(fcntl(life, F_DUPFD, 3), STDIN_FILENO);
    (void)dup2(report, STDOUT_FILENO);
    (void)close_range(STDERR_FILENO, ~0u, 0);
    (void)!write(STDOUT_FILENO, &s, sizeof s);
    (void)close(STDOUT_FILENO);
    if (bad)
        _exit(1);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    if (mode == CAGE_PLAIN)
        (void)kill(0, SIGKILL);
    _exit(0);
}

static int flags_of(enum cage_mode mode, const struct cage *net_of)
{
    if (mode == CAGE_PLAIN)
        return SIGCHLD | CLONE_PIDFD;
    return SIGCHLD | CLONE_PIDFD | CLONE_NEWPID | CLONE_NEWNS |
           (net_of || mode == CAGE_HOST_NET ? 0 : CLONE_NEWNET);
}

/* Wait for the stub's report and take its network namespace. */
static enum err settled(struct cage *cage, int report, struct why *why)
{
    struct settled s = {0};
    ssize_t n = read(report, &s, sizeof s);
    if (n != (ssize_t)sizeof s)
        return err_set(why, ERR_GONE, "the cage's init died");
    if (s.errnum)
        return err_errno(why, s.errnum, "%s", s.step);
    if (cage->mode == CAGE_PLAIN)
        return ERR_OK;
    char path[40];
    (void)snprintf(path, sizeof path, "/proc/%d/ns/net", (int)cage->init);
    cage->net = open(path, O_RDONLY | O_CLOEXEC);
    return cage->net < 0 ? err_errno(why, errno, "open %s", path) : ERR_OK;
}

enum err cage_open(struct cage *out, enum cage_mode mode,
                   const struct cage *net_of, const char *const *writable,
                   struct why *why)
{
    int life[2] = {-1, -1}, report[2] = {-1, -1};
    enum err e = ERR_OK;
    *out = CAGE_NONE;
    out->mode = mode;
    if (pipe2(life, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
        e = err_errno(why, errno, "pipe");
        goto out;
    }
    long pid = syscall(SYS_clone, flags_of(mode, net_of), NULL, &out->pidfd,
                       NULL, NULL);
    if (pid < 0) {
        e = err_errno(why, errno,
                      mode == CAGE_PLAIN ? "fork" : "make namespaces");
        goto out;
    }
    if (pid == 0) {
        (void)close(life[1]);
        stub(mode, net_of ? net_of->net : -1, writable, report[1], life[0]);
    }
    out->init = (pid_t)pid;
    out->life = life[1];
    life[1] = -1;
    (void)close(report[1]);
    report[1] = -1;
    e = settled(out, report[0], why);
out:
    for (int i = 0; i < 2; i++) {
        if (life[i] >= 0)
            (void)close(life[i]);
        if (report[i] >= 0)
            (void)close(report[i]);
    }
    if (e) {
        (void)err_wrap(why, e, "cage");
        cage_close(out);
    }
    return e;
}

void cage_kill(const struct cage *cage)
{
    if (cage->init <= 0)
        return;
    if (cage->mode == CAGE_PLAIN)
        (void)kill(-cage->init, SIGKILL);
    else
        (void)kill(cage->init, SIGKILL);
}

/* Reap pid when pidfd says that it has ended, within ns. */
static bool reap(pid_t pid, int pidfd, uint64_t ns, int *status)
{
    uint64_t due_ns = clock_mono_ns() + ns;
    for (;;) {
        struct pollfd p = {.fd = pidfd, .events = POLLIN};
        int n = poll(&p, 1, clock_poll_ms(clock_mono_ns(), due_ns));
        if (n > 0)
            return waitpid(pid, status, WNOHANG) == pid;
        if (clock_mono_ns() >= due_ns)
            return false;
    }
}

void cage_close(struct cage *cage)
{
    int status;
    cage_kill(cage);
    if (cage->init > 0)
        (void)reap(cage->init, cage->pidfd, CLOSE_NS, &status);
    if (cage->pidfd >= 0)
        (void)close(cage->pidfd);
    if (cage->net >= 0)
        (void)close(cage->net);
    if (cage->life >= 0)
        (void)close(cage->life);
    *cage = CAGE_NONE;
}

int cage_enter(const struct cage *cage)
{
    if (!cage || cage->mode == CAGE_PLAIN)
        return 0;
    /* Of the agent's own network no leave is needed, nor, in a user namespace,
     * given. */
    int net = cage->mode == CAGE_HOST_NET ? 0 : CLONE_NEWNET;
    return setns(cage->pidfd, CLONE_NEWPID | CLONE_NEWNS | net) ? errno : 0;
}

/* What the helper sends back, followed by arg's bytes. */
struct answer {
    enum err e;
    struct why why;
};

static bool send_all(int fd, const void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, (const char *)data + done, len - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void helper(const struct cage *cage, cage_work *work, void *arg,
                   size_t size, int to)
{
    struct answer answer = {.e = ERR_OK};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int failed = cage_enter(cage);
    if (failed)
        answer.e = err_errno(&answer.why, failed, "enter the cage");
    else
        answer.e = work(arg, &answer.why);
    bool sent = send_all(to, &answer, sizeof answer) && send_all(to, arg, size);
    _exit(sent ? 0 : 1);
}

/* Read exactly len bytes before due_ns. */
static enum err get(int fd, void *data, size_t len, uint64_t due_ns,
                    struct why *why)
{
    for (size_t done = 0; done < len;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, clock_poll_ms(clock_mono_ns(), due_ns));
        if (ready == 0 && clock_mono_ns() >= due_ns)
            return err_set(why, ERR_TIMEOUT, "the helper did not answer");
        if (ready <= 0)
            continue;
        ssize_t n = read(fd, (char *)data + done, len - done);
        if (n == 0)
            return err_set(why, ERR_GONE, "the helper died");
        done += n > 0 ? (size_t)n : 0;
    }
    return ERR_OK;
}

enum err cage_run(const struct cage *cage, cage_work *work, void *arg,
                  size_t size, struct why *why)
{
    int from[2];
    if (pipe2(from, O_CLOEXEC))
        return err_errno(why, errno, "pipe");
    pid_t pid = fork();
    if (pid < 0) {
        enum err e = err_errno(why, errno, "fork");
        (void)close(from[0]);
        (void)close(from[1]);
        return e;
    }
    if (pid == 0)
        helper(cage, work, arg, size, from[1]);
    (void)close(from[1]);
    uint64_t due_ns = clock_mono_ns() + RUN_NS;
    struct answer answer = {0};
    enum err e = get(from[0], &answer, sizeof answer, due_ns, why);
    if (!e)
        e = get(from[0], arg, size, due_ns, why);
    if (!e && answer.e)
        e = err_set(why, answer.e, "%s", answer.why.text);
    (void)close(from[0]);
    if (e == ERR_TIMEOUT)
        (void)kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return e;
}
