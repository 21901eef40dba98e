#include "agent/executor/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/port.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/place.h"
#include "common/secret.h"

#define STOP_MS      1000
#define AGAIN_NS     NS_PER_S
#define TLS_FILES    3
#define FD_HIGH      20
#define FILES_MAX    4096 /* of the gate, for what may connect to it */
#define CAPABILITIES 64   /* more than the kernel has; the rest is EINVAL */

static enum err find_user(struct gate *g, const char *user, struct why *why)
{
    errno = 0;
    struct passwd *p = getpwnam(user);
    if (!p)
        return err_set(why, ERR_NOTFOUND,
                       "gate_user \"%.32s\": no such user on this machine",
                       user);
    g->uid = p->pw_uid;
    g->gid = p->pw_gid;
    return ERR_OK;
}

/* Whether uid exists in our user namespace: /proc/self/uid_map has a line
 * "first outside count" for each range. */
static bool mapped(uid_t uid)
{
    FILE *f = fopen("/proc/self/uid_map", "re");
    unsigned long first, outside, count;
    bool found = false;
    while (f && !found &&
           fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3)
        found = uid >= first && uid - first < count;
    if (f)
        (void)fclose(f);
    return found;
}

enum err gate_init(struct gate *g, const char *state, const char *user,
                   const char *listen, bool root, struct why *why)
{
    *g = GATE_NONE;
    int n = snprintf(g->folder, sizeof g->folder, "%s/gate", state);
    if (n < 0 || (size_t)n >= sizeof g->folder)
        return err_set(why, ERR_RANGE, "%s: too long", state);
    /* Relative to its folder, which it may not be able to reach by name. */
    (void)snprintf(g->listen, sizeof g->listen, "%s",
                   listen[0] ? listen : "ipc://agent.sock");
    enum err e = root ? find_user(g, user, why) : ERR_OK;
    g->drop = root && !e && mapped(g->uid);
    if (!e && mkdir(g->folder, 0700) && errno != EEXIST)
        e = err_errno(why, errno, "make %s", g->folder);
    if (!e && g->drop && chown(g->folder, g->uid, g->gid))
        e = err_errno(why, errno, "give %s to %s", g->folder, user);
    return e;
}

/* Give up every right, for good. 0 or errno. */
static int drop_rights(const struct gate *g)
{
    for (unsigned long cap = 0; cap < CAPABILITIES; cap++)
        (void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (g->drop && (setgroups(0, NULL) || setresgid(g->gid, g->gid, g->gid) ||
                    setresuid(g->uid, g->uid, g->uid)))
        return errno;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_PDEATHSIG, SIGTERM))
        return errno;
    return 0;
}

/* What the gate needs and may not be able to open itself: its folder may be
 * closed to gate_user, as the key of tls has to be. */
struct opened {
    int program, tls[TLS_FILES];
};

#define OPENED_NONE ((struct opened){.program = -1, .tls = {-1, -1, -1}})

static void close_opened(const struct opened *o)
{
    if (o->program >= 0)
        (void)close(o->program);
    for (int i = 0; i < TLS_FILES; i++)
        if (o->tls[i] >= 0)
            (void)close(o->tls[i]);
}

static enum err open_plain(const char *path, int flags, int *fd,
                           struct why *why)
{
    *fd = open(path, flags | O_CLOEXEC);
    return *fd < 0 ? err_errno(why, errno, "%s", path) : ERR_OK;
}

static enum err open_all(const struct gate *g, struct opened *o,
                         struct why *why)
{
    char path[4096];
    const struct tls_files *tls = g->tls;
    *o = OPENED_NONE;
    enum err e = place_program("pitwall-gate", path, sizeof path, why);
    if (!e)
        e = open_plain(path, O_PATH, &o->program, why);
    if (!e && tls)
        e = open_plain(tls->ca, O_RDONLY | O_NONBLOCK, &o->tls[0], why);
    if (!e && tls)
        e = open_plain(tls->cert, O_RDONLY | O_NONBLOCK, &o->tls[1], why);
    if (!e && tls)
        e = secret_open(tls->key, &o->tls[2], why);
    return e;
}

/* Put fd at number, to be kept by the program; not when there is none. */
static bool place_fd(int fd, int number)
{
    return fd < 0 || (dup2(fd, number) == number && !fcntl(number, F_SETFD, 0));
}

static bool place_all(const struct opened *o, int sock)
{
    bool good = true;
    int high[TLS_FILES];
    for (int i = 0; i < TLS_FILES; i++) /* out of each other's way */
        high[i] =
            o->tls[i] < 0 ? -1 : fcntl(o->tls[i], F_DUPFD_CLOEXEC, FD_HIGH);
    good = place_fd(sock, PORT_FD);
    (void)close_range(PORT_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    for (int i = 0; i < TLS_FILES; i++)
        good = good && place_fd(high[i], PORT_TLS_FD + i);
    return good;
}

static void become(const struct gate *g, const struct opened *o, int sock)
{
    char *argv[6] = {"pitwall-gate", "--listen", (char *)(uintptr_t)g->listen};
    const struct rlimit files = {FILES_MAX, FILES_MAX};
    sigset_t none;
    size_t n = 3;
    if (g->insecure_plain)
        argv[n++] = "--insecure-plain";
    if (g->tls)
        argv[n++] = "--tls";
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &files); /* or a lower one in force */
    int program = fcntl(o->program, F_DUPFD_CLOEXEC, FD_HIGH);
    if (chdir(g->folder) || program < 0 || !place_all(o, sock) ||
        drop_rights(g))
        _exit(126);
    (void)execveat(program, "", argv, environ, AT_EMPTY_PATH);
    _exit(127);
}

enum err gate_start(struct gate *g, uint64_t now_ns, struct why *why)
{
    struct opened opened;
    int pair[2];
    if (g->pid || now_ns < g->next_ns)
        return ERR_OK;
    g->started_ns = now_ns;
    g->next_ns = now_ns + AGAIN_NS;
    enum err e = open_all(g, &opened, why);
    if (!e && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        e = err_errno(why, errno, "port");
    if (e) {
        close_opened(&opened);
        return e;
    }
    pid_t pid = fork();
    if (pid == 0)
        become(g, &opened, pair[1]);
    int saved = errno;
    (void)close(pair[1]);
    close_opened(&opened);
    if (pid < 0) {
        (void)close(pair[0]);
        return err_errno(why, saved, "start pitwall-gate");
    }
    g->pid = pid;
    g->sock = pair[0];
    g->pidfd = pidfd_open(pid, 0);
    (void)fcntl(g->sock, F_SETFL, O_NONBLOCK);
    log_info("gate started pid=%d listen=%s", (int)pid, g->listen);
    return g->pidfd < 0 ? err_errno(why, errno, "pidfd") : ERR_OK;
}

static void forget(struct gate *g)
{
    if (g->pidfd >= 0)
        (void)close(g->pidfd);
    if (g->sock >= 0)
        (void)close(g->sock);
    g->pidfd = g->sock = -1;
    g->pid = 0;
}

/* Wait for its end, kill it after STOP_MS. */
static int reap(const struct gate *g)
{
    int status = 0;
    struct pollfd p = {.fd = g->pidfd, .events = POLLIN};
    (void)poll(&p, 1, STOP_MS);
    (void)kill(g->pid, SIGKILL); /* not reaped yet: the pid is its own */
    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int gate_ended(struct gate *g)
{
    int status = reap(g);
    log_warn("gate ended pid=%d status=%d", (int)g->pid, status);
    forget(g);
    return status;
}

void gate_stop(struct gate *g)
{
    if (!g->pid)
        return;
    if (g->sock >= 0)
        (void)close(g->sock);
    g->sock = -1;
    (void)reap(g);
    forget(g);
}
