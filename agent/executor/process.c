#include "agent/executor/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/small_file.h"
#include "common/clock.h"

#define CLOSE_MS 2000

/* First record on the status pipe: the pid, from the helper. A second one
 * comes only from a child that could not exec. */
struct status {
    pid_t pid;
    int errnum;
    char step[40];
};

/* The child's ends. */
struct ends {
    int control, data, err, status;
};

static void die(int to, const char *step)
{
    struct status s = {.errnum = errno};
    (void)snprintf(s.step, sizeof s.step, "%s", step);
    (void)!write(to, &s, sizeof s);
    _exit(127);
}

/* Put the ends at 2, 3, 4, 5, or stderr alone at 1 and 2. They are moved out
 * of the way first, since a wanted number may be taken by another end. */
static int place_fds(const struct process_plan *plan, const struct ends *ends,
                     int *status)
{
    int from[] = {ends->err, ends->control, ends->data, plan->plan};
    *status = fcntl(ends->status, F_DUPFD_CLOEXEC, 20);
    for (int i = 0; i < 4; i++) {
        from[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD_CLOEXEC, 20);
        if (from[i] < 0 && !(i == 3 && plan->plan < 0))
            return -1;
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || *status < 0 || dup2(null, 0) < 0 ||
        dup2(plan->bare ? from[0] : null, 1) < 0)
        return -1;
    int last = plan->bare ? 1 : 4;
    for (int i = 0; i < last; i++)
        if (from[i] >= 0 && dup2(from[i], 2 + i) < 0)
            return -1;
    unsigned first = plan->bare ? 3 : plan->plan < 0 ? 5 : 6;
    (void)close_range(first, ~0u, CLOSE_RANGE_CLOEXEC);
    return 0;
}

static bool write_map(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;
    if (fd >= 0)
        (void)close(fd);
    return good;
}

/* In an agent's user namespace nobody but uid 0 exists, and some servers refuse
 * to be that: a namespace within, where the same user has another number. */
static bool rename_user(const struct process_plan *plan)
{
    char uid[40], gid[40];
    (void)snprintf(uid, sizeof uid, "%u 0 1\n", (unsigned)plan->uid);
    (void)snprintf(gid, sizeof gid, "%u 0 1\n", (unsigned)plan->gid);
    if (unshare(CLONE_NEWUSER))
        return false;
    (void)prctl(PR_SET_DUMPABLE, 1);
    (void)write_map("/proc/self/setgroups", "deny");
    return write_map("/proc/self/uid_map", uid) &&
           write_map("/proc/self/gid_map", gid);
}

static bool change_user(const struct process_plan *plan)
{
    if (!plan->as_user)
        return true;
    if (plan->in_userns)
        return rename_user(plan);
    return !setgroups(0, NULL) && !setresgid(plan->gid, plan->gid, plan->gid) &&
           !setresuid(plan->uid, plan->uid, plan->uid);
}

static void reset_signals(void)
{
    sigset_t none;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&none);
    for (int s = 1; s < SIGRTMIN; s++)
        (void)sigaction(s, &by_default, NULL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* An agent may be kept from being killed for memory; its children are not. */
static void spare_no_longer(void)
{
    static const char path[] = "/proc/self/oom_score_adj";
    char text[16];
    if (small_file_read(AT_FDCWD, path, text, sizeof text) && text[0] == '-')
        (void)small_file_write(AT_FDCWD, path, "0");
}

/* Inside the cage, the executor's own child: become the program. */
static void become(const struct process_plan *plan, const struct ends *ends)
{
    int status = ends->status;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    reset_signals();
    /* Not in the agent's group, where a terminal's Ctrl-C would reach it. */
    if (setpgid(0, plan->cage->mode == CAGE_PLAIN ? plan->cage->init : 0))
        die(status, "join the process group");
    errno = plan->group ? cgroup_join(plan->group) : 0;
    if (errno)
        die(status, "join its control group");
    spare_no_longer();
    if (plan->cpus && sched_setaffinity(0, sizeof *plan->cpus, plan->cpus))
        die(status, "pin");
    if (chdir(plan->cwd))
        die(status, "change to its folder");
    if (place_fds(plan, ends, &status))
        die(status < 0 ? ends->status : status, "place descriptors");
    if (!change_user(plan))
        die(status, "become its user");
    /* Changing the user clears it. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)execve(plan->path, plan->argv, plan->env);
    die(status, "exec");
}

/* A helper enters the cage and forks the program as the executor's child
 * (CLONE_PARENT), so that the executor itself never changes a namespace: from
 * a user namespace it could not come back. */
static void helper(const struct process_plan *plan, const struct ends *ends)
{
    errno = cage_enter(plan->cage);
    if (errno)
        die(ends->status, "enter the cage");
    long pid =
        syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid < 0)
        die(ends->status, "fork");
    if (pid == 0)
        become(plan, ends);
    struct status s = {.pid = (pid_t)pid};
    (void)!write(ends->status, &s, sizeof s);
    _exit(0);
}

static enum err make_pipes(struct process *out, struct ends *ends, int *status,
                           struct why *why)
{
    int pair[2], data[2] = {-1, -1}, err[2] = {-1, -1}, st[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return err_errno(why, errno, "control socket");
    bool bad =
        pipe2(data, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(st, O_CLOEXEC);
    int saved = errno;
    out->control = pair[0];
    out->data = data[0];
    out->err = err[0];
    *status = st[0];
    *ends = (struct ends){pair[1], data[1], err[1], st[1]};
    if (bad)
        return err_errno(why, saved, "pipe");
    /* A smaller pipe only means more records_blocked under memory pressure. */
    (void)fcntl(out->data, F_SETPIPE_SZ, (int)CHILD_DATA_PIPE_BYTES);
    (void)fcntl(out->data, F_SETFL, O_NONBLOCK);
    (void)fcntl(out->err, F_SETFL, O_NONBLOCK);
    return ERR_OK;
}

static void close_ends(const struct ends *ends)
{
    const int fds[] = {ends->control, ends->data, ends->err, ends->status};
    for (int i = 0; i < 4; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

/* Learn the pid, then whether the exec went well: the pipe's end says so.
 * The two writers may come in either order. */
static enum err await_exec(struct process *out, int status, struct why *why)
{
    enum err e = ERR_OK;
    struct status s;
    ssize_t n;
    while ((n = read(status, &s, sizeof s)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof s)
            return err_set(why, ERR_IO, "status pipe");
        if (s.errnum) {
            s.step[sizeof s.step - 1] = '\0';
            e = err_errno(why, s.errnum, "%s", s.step);
        } else {
            out->pid = s.pid;
        }
    }
    if (!e && out->pid == 0)
        e = err_set(why, ERR_GONE, "it died before its exec");
    if (out->pid) {
        out->pidfd = pidfd_open(out->pid, 0);
        if (out->pidfd < 0 && !e)
            e = err_errno(why, errno, "pidfd");
    }
    return e;
}

enum err process_start(struct process *out, const struct process_plan *plan,
                       struct why *why)
{
    struct ends ends = {-1, -1, -1, -1};
    int status = -1;
    *out = PROCESS_NONE;
    enum err e = make_pipes(out, &ends, &status, why);
    pid_t pid = e ? -1 : fork();
    if (!e && pid < 0)
        e = err_errno(why, errno, "fork");
    if (!e && pid == 0)
        helper(plan, &ends);
    close_ends(&ends);
    if (plan->bare) {
        (void)close(out->control);
        (void)close(out->data);
        out->control = out->data = -1;
    }
    if (!e)
        e = await_exec(out, status, why);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (status >= 0)
        (void)close(status);
    if (e) {
        (void)err_wrap(why, e, "start %s", plan->path);
        process_close(out);
    }
    return e;
}

enum err process_send(const struct process *p, const struct child_msg *msg,
                      struct why *why)
{
    if (p->control < 0)
        return err_set(why, ERR_GONE, "no such process");
    return child_send(p->control, msg, why);
}

void process_signal(const struct process *p, int signal)
{
    if (p->pid > 0) /* not reaped yet: the pid is its own */
        (void)kill(p->pid, signal);
}

void process_kill(const struct process *p)
{
    process_signal(p, SIGKILL);
}

bool process_reap(struct process *p, int *status)
{
    if (p->pid <= 0 || waitpid(p->pid, status, WNOHANG) != p->pid)
        return false;
    p->pid = 0;
    if (p->pidfd >= 0)
        (void)close(p->pidfd);
    p->pidfd = -1;
    return true;
}

static void end_line(struct process *p)
{
    if (p->partial_len == 0)
        return;
    memcpy(p->line, p->partial, p->partial_len);
    p->line[p->partial_len] = '\0';
    p->partial_len = 0;
    p->partial[0] = '\0';
}

void process_note(struct process *p, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n') {
            end_line(p);
        } else if (p->partial_len < PROCESS_LINE_MAX - 1 && text[i]) {
            p->partial[p->partial_len++] = text[i];
            p->partial[p->partial_len] = '\0';
        }
    }
}

const char *process_last_line(const struct process *p)
{
    return p->partial_len ? p->partial : p->line;
}

void process_stop(struct process *p)
{
    int status;
    process_kill(p);
    if (p->pidfd >= 0) {
        struct pollfd fd = {.fd = p->pidfd, .events = POLLIN};
        (void)poll(&fd, 1, CLOSE_MS);
    }
    (void)process_reap(p, &status);
}

void process_close(struct process *p)
{
    process_stop(p);
    const int fds[] = {p->pidfd, p->control, p->data, p->err};
    for (int i = 0; i < 4; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    *p = PROCESS_NONE;
}
