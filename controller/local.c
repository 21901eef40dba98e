#include "controller/local.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/place.h"
#include "controller/last_line.h"

#define START_NS     (10 * NS_PER_S)
#define STOP_NS      (8 * NS_PER_S) /* longer than the agent's own drain */
#define LOOK_NS      (2 * NS_PER_MS)
#define RESTARTS_MAX 3u
#define PARENT_FD    3 /* in the agent */

extern char **environ;

struct local {
    char folder[64], url[128];
    char socket[sizeof((struct sockaddr_un *)0)->sun_path];
    char log[80];
    const char *targets; /* or NULL */
    pid_t pid;           /* 0: none */
    int status;          /* of waitpid, once it has ended */
    int parent_fd;
    unsigned restarts;
};

const char *local_url(const struct local *local)
{
    return local->url;
}

const char *local_folder(const struct local *local)
{
    return local->folder;
}

bool local_alive(struct local *local)
{
    if (local->pid &&
        waitpid(local->pid, &local->status, WNOHANG) == local->pid)
        local->pid = 0;
    return local->pid != 0;
}

const char *local_last_line(const struct local *local, char *buf, size_t size)
{
    return last_line(local->log, buf, size);
}

/* The agent gets the pipe as fd 3, our log as output, a process group of its
 * own (Ctrl-C is for us alone) and no blocked or ignored signals. */
static int spawn(struct local *local, const char *program, int pipe_fd)
{
    char *argv[] = {(char[]){"pitwall-agent"},
                    (char[]){"--state"},
                    local->folder,
                    (char[]){"--parent-fd"},
                    (char[]){"3"},
                    local->targets ? (char[]){"--targets"} : NULL,
                    (char *)(uintptr_t)local->targets,
                    NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&attr);
    (void)posix_spawnattr_setsigmask(&attr, &none);
    (void)posix_spawnattr_setsigdefault(&attr, &all);
    (void)posix_spawnattr_setpgroup(&attr, 0);
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int rc = posix_spawn_file_actions_adddup2(&files, pipe_fd, PARENT_FD);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                              O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, local->log,
                                              O_WRONLY | O_CREAT | O_APPEND,
                                              0600);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO,
                                              STDERR_FILENO);
    if (!rc)
        rc = posix_spawn(&local->pid, program, &files, &attr, argv, environ);
    if (rc)
        local->pid = 0;
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attr);
    return rc;
}

static enum err launch(struct local *local, struct why *why)
{
    char program[4096];
    int ends[2];
    enum err e = place_program("pitwall-agent", program, sizeof program, why);
    if (e)
        return e;
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(why, errno, "make a pipe");
    int rc = spawn(local, program, ends[0]);
    (void)close(ends[0]);
    if (rc) {
        (void)close(ends[1]);
        return err_errno(why, rc, "start %s", program);
    }
    local->parent_fd = ends[1];
    return ERR_OK;
}

/* Its exit status for what it was given: definitions of targets. */
static bool bad_input(const struct local *local)
{
    return WIFEXITED(local->status) && WEXITSTATUS(local->status) == 2;
}

static enum err wait_for_socket(struct local *local, struct why *why)
{
    static const char own[] = "pitwall-agent: ";
    uint64_t due = clock_mono_ns() + START_NS;
    char line[256];
    while (access(local->socket, F_OK)) {
        uint64_t now = clock_mono_ns();
        if (!local_alive(local)) {
            (void)local_last_line(local, line, sizeof line);
            if (bad_input(local) && !strncmp(line, own, strlen(own)))
                return err_set(why, ERR_INVALID, "%s", line + strlen(own));
            return err_set(why, ERR_CHILD, "it ended at once%s%s",
                           line[0] ? ": " : "", line);
        }
        if (now >= due)
            return err_set(why, ERR_TIMEOUT, "no socket %s within 10 s",
                           local->socket);
        clock_sleep_until(now + LOOK_NS);
    }
    return ERR_OK;
}

/* A folder that only we could have made: /tmp is everybody's. */
static bool is_ours(const char *folder)
{
    struct stat st;
    return folder[0] && !lstat(folder, &st) && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The agent of a controller that was killed just now ends its trial first. */
static void wait_for_lock(const char *folder)
{
    char path[96];
    uint64_t due = clock_mono_ns() + START_NS;
    (void)snprintf(path, sizeof path, "%s/lock", folder);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && clock_mono_ns() < due)
        clock_sleep_until(clock_mono_ns() + LOOK_NS);
    if (fd >= 0)
        (void)close(fd);
}

/* A folder that the unprivileged gate can pass through, not list. */
static enum err make_folder(struct local *local, const char *left,
                            struct why *why)
{
    bool found = left && strlen(left) < sizeof local->folder && is_ours(left);
    (void)snprintf(local->folder, sizeof local->folder, "%s",
                   found ? left : "/tmp/pitwall-XXXXXX");
    if (!found && !mkdtemp(local->folder)) {
        enum err e = err_errno(why, errno, "make %s", local->folder);
        local->folder[0] = '\0';
        return e;
    }
    (void)snprintf(local->log, sizeof local->log, "%s/agent.log",
                   local->folder);
    (void)snprintf(local->socket, sizeof local->socket, "%s/gate/agent.sock",
                   local->folder);
    (void)snprintf(local->url, sizeof local->url, "ipc://%s", local->socket);
    if (found) {
        wait_for_lock(local->folder);
        (void)unlink(local->socket); /* it would look like the new one's */
    }
    if (chmod(local->folder, 0711))
        return err_errno(why, errno, "chmod %s", local->folder);
    return ERR_OK;
}

enum err local_start(struct local **out, const char *targets,
                     const char *folder, struct why *why)
{
    *out = NULL;
    struct local *local = calloc(1, sizeof *local);
    if (!local)
        return err_set(why, ERR_NOMEM, "start a local agent");
    local->parent_fd = -1;
    local->targets = targets;
    enum err e = make_folder(local, folder, why);
    if (!e)
        e = launch(local, why);
    if (!e)
        e = wait_for_socket(local, why);
    if (e) {
        local_stop(local, folder != NULL);
        return err_wrap(why, e, "start a local agent");
    }
    *out = local;
    return ERR_OK;
}

/* Wait for its end until due; true when it is gone. */
static bool wait_end(struct local *local, uint64_t due_ns)
{
    for (;;) {
        uint64_t now = clock_mono_ns();
        if (!local_alive(local))
            return true;
        if (now >= due_ns)
            return false;
        clock_sleep_until(now + LOOK_NS);
    }
}

static void end_process(struct local *local)
{
    static const int signals[] = {0, SIGTERM, SIGKILL};
    if (local->parent_fd >= 0)
        (void)close(local->parent_fd);
    local->parent_fd = -1;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (!local_alive(local))
            return;
        if (signals[i])
            (void)kill(local->pid, signals[i]);
        if (wait_end(local, clock_mono_ns() + STOP_NS))
            return;
    }
}

enum err local_restart(struct local *local, struct why *why)
{
    if (++local->restarts > RESTARTS_MAX)
        return err_set(why, ERR_CHILD, "the local agent died %u times",
                       local->restarts);
    end_process(local);
    (void)unlink(local->socket); /* a stale one would look like a new one */
    enum err e = launch(local, why);
    if (!e)
        e = wait_for_socket(local, why);
    return e ? err_wrap(why, e, "start the local agent again") : ERR_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    (void)remove(path);
    return 0;
}

void local_stop(struct local *local, bool keep)
{
    if (!local)
        return;
    end_process(local);
    if (local->folder[0] && !keep)
        (void)nftw(local->folder, remove_one, 16,
                   FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(local);
}
