#include "tests/integration/restore/bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/integration/restore/bench_process.h"
#include "tests/lib/check.h"

#define NOBODY 65534

static char **programs; /* agent, fake child, fake gate */

static void *may_make_namespaces(void)
{
    pid_t pid = fork();
    int status = 1;
    if (pid == 0)
        _exit(unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID) ? 1 : 0);
    return waitpid(pid, &status, 0) == pid && status == 0 ? &programs : NULL;
}

void bench_programs(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr, "usage: %s AGENT CHILD GATE\n", argv[0]);
        exit(2);
    }
    programs = argv + 1;
    if (!may_make_namespaces()) {
        (void)fprintf(stderr, "SKIPPED: no right to make namespaces here; run "
                              "as root\n");
        exit(77);
    }
}

static void copy(const char *from, const char *folder, const char *name)
{
    char to[128];
    (void)snprintf(to, sizeof to, "%s/%s", folder, name);
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    struct stat st;
    assert_true(in >= 0 && out >= 0 && !fstat(in, &st));
    for (off_t left = st.st_size; left > 0;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        assert_true(n > 0);
        left -= n;
    }
    (void)close(in);
    (void)close(out);
}

void bench_open(struct bench *b, enum bench_mode mode)
{
    *b = (struct bench){.mode = mode, .listener = -1, .port = -1, .parent = -1};
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/pitwall-bench-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(chmod(b->folder, 0755), 0);
    copy(programs[0], b->folder, "pitwall-agent");
    copy(programs[1], b->folder, "pitwall-target");
    copy(programs[1], b->folder, "pitwall-load");
    copy(programs[1], b->folder, "pitwall-watch");
    copy(programs[2], b->folder, "pitwall-gate");
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/gate.sock", b->folder);
    b->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(b->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(chmod(at.sun_path, 0777), 0);
    assert_int_equal(listen(b->listener, 4), 0);
    if (mode == BENCH_NOBODY)
        assert_int_equal(chown(b->folder, NOBODY, NOBODY), 0);
}

void bench_take_port(struct bench *b)
{
    struct pollfd p = {.fd = b->listener, .events = POLLIN};
    struct why why;
    assert_int_equal(poll(&p, 1, 5000), 1);
    int sock = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(sock >= 0);
    if (b->port >= 0)
        (void)close(b->port);
    check_ok(
        port_receive(sock, &b->gate_uid, sizeof b->gate_uid, &b->port, &why),
        why);
    (void)fcntl(b->port, F_SETFL, 0); /* the executor's end keeps O_NONBLOCK */
    (void)close(sock);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        (void)close(fd);
    return n > 0;
}

/* In the agent's process, before its exec. */
static bool become(enum bench_mode mode)
{
    if (mode == BENCH_NOBODY)
        return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
               !setresuid(NOBODY, NOBODY, NOBODY);
    if (mode == BENCH_PLAIN)
        return !unshare(CLONE_NEWUSER) &&
               write_file("/proc/self/uid_map", "0 0 1\n") &&
               write_file("/proc/self/setgroups", "deny") &&
               write_file("/proc/self/gid_map", "0 0 1\n") &&
               write_file("/proc/sys/user/max_user_namespaces", "0\n") &&
               write_file("/proc/sys/user/max_net_namespaces", "0\n");
    return true;
}

void bench_machine(struct bench *b)
{
    static const char config[] =
        "{\"version\": 1, \"name\": \"machine\", \"roles\": \"target\",\n"
        " \"interface\": \"nic0\", \"sysctls\": [\"net.ipv4.tcp_*\"]}\n";
    char path[96];
    (void)snprintf(path, sizeof path, "%s/agent.json", b->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, config, sizeof config - 1), sizeof config - 1);
    (void)close(fd);
    b->config = true;
    assert_int_equal(unshare(CLONE_NEWNET), 0);
    assert_int_equal(system("ip link set lo up && "
                            "ip link add nic0 type veth peer name nic1 && "
                            "ip addr add 10.79.0.1/24 dev nic0 && "
                            "ip link set nic0 up && ip link set nic1 up"),
                     0);
}

/* In the agent's process: its command line, then exec. */
static void run_agent(const struct bench *b, const char *fd)
{
    char agent[96], state[96], config[96], listen_url[128], die_at[16];
    const char *argv[10] = {agent,      "--state",  state,
                            "--listen", listen_url, NULL};
    int n = 5;
    (void)snprintf(agent, sizeof agent, "%s/pitwall-agent", b->folder);
    (void)snprintf(state, sizeof state, "%s/state", b->folder);
    (void)snprintf(config, sizeof config, "%s/agent.json", b->folder);
    (void)snprintf(listen_url, sizeof listen_url, "ipc://%s/gate.sock",
                   b->folder);
    (void)snprintf(die_at, sizeof die_at, "%u", b->die_at);
    if (b->die_at)
        (void)setenv("PITWALL_TEST_DIE_AT", die_at, 1);
    if (fd) {
        argv[n++] = "--parent-fd";
        argv[n++] = fd;
    }
    if (b->config) {
        argv[n++] = "--config";
        argv[n++] = config;
    }
    if (!become(b->mode))
        _exit(126);
    (void)execv(agent, (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void start(struct bench *b, bool parent)
{
    char fd[16];
    int ends[2] = {-1, -1};
    if (parent)
        assert_int_equal(pipe(ends), 0);
    (void)snprintf(fd, sizeof fd, "%d", ends[0]);
    b->agent = fork();
    assert_true(b->agent >= 0);
    b->last = b->agent ? b->agent : b->last;
    if (b->agent == 0) {
        if (parent)
            (void)close(ends[1]);
        run_agent(b, parent ? fd : NULL);
    }
    if (parent) {
        (void)close(ends[0]);
        b->parent = ends[1];
        (void)fcntl(b->parent, F_SETFD, FD_CLOEXEC);
    }
}

void bench_start(struct bench *b, bool parent)
{
    start(b, parent);
    bench_take_port(b);
}

bool bench_try(struct bench *b)
{
    start(b, false);
    for (int i = 0; i < 1000; i++) {
        struct pollfd p = {.fd = b->listener, .events = POLLIN};
        siginfo_t gone = {.si_pid = 0};
        if (poll(&p, 1, 10) == 1) {
            bench_take_port(b);
            return true;
        }
        (void)waitid(P_PID, (id_t)b->agent, &gone, WEXITED | WNOHANG | WNOWAIT);
        if (gone.si_pid)
            return false;
    }
    fail_msg("the agent neither has a gate nor ends");
    return false;
}

static int remove_all(int dirfd, const char *name)
{
    if (!unlinkat(dirfd, name, 0))
        return 0;
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *d; dir && (d = readdir(dir));)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            (void)remove_all(fd, d->d_name);
    if (dir)
        (void)closedir(dir);
    return unlinkat(dirfd, name, AT_REMOVEDIR);
}

void bench_close(struct bench *b)
{
    if (b->agent > 0) {
        (void)kill(b->agent, SIGKILL);
        (void)waitpid(b->agent, NULL, 0);
    }
    const int fds[] = {b->listener, b->port, b->parent};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    bool empty = bench_empty(b);
    assert_int_equal(remove_all(AT_FDCWD, b->folder), 0);
    assert_true(empty);
}

int bench_wait(struct bench *b)
{
    uint64_t due_ns = clock_mono_ns() + 5 * NS_PER_S;
    int status = 0;
    while (waitpid(b->agent, &status, WNOHANG) == 0) {
        if (clock_mono_ns() > due_ns)
            fail_msg("the agent is still there");
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    }
    b->agent = 0;
    return status;
}

int bench_once(const struct bench *b, const char *option, char *out,
               size_t size)
{
    char agent[96], state[96];
    int ends[2], status = -1;
    size_t used = 0;
    (void)snprintf(agent, sizeof agent, "%s/pitwall-agent", b->folder);
    (void)snprintf(state, sizeof state, "%s/state", b->folder);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], 1);
        (void)dup2(ends[1], 2);
        (void)close(ends[0]);
        if (!become(b->mode))
            _exit(126);
        (void)execl(agent, agent, "--state", state, option, NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    for (ssize_t n; (n = read(ends[0], out + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    out[used] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}
