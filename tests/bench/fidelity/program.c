#include "tests/bench/fidelity/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/interrupt.h"

#define SAID_MAX    ((size_t)1 << 20)
#define PATIENCE_NS (20 * NS_PER_S) /* to undo what it made */

struct paths {
    char out[4096], err[4096];
};

static void name_paths(const struct program *program, struct paths *p)
{
    (void)snprintf(p->out, sizeof p->out, "%s/stdout", program->folder);
    (void)snprintf(p->err, sizeof p->err, "%s/stderr", program->folder);
}

/* In a group of its own: Ctrl-C reaches it through us alone, once. */
static enum err start(const struct paths *p, char **argv, pid_t *pid,
                      struct why *why)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&how);
    (void)posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&files, 1, p->out,
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawn_file_actions_addopen(&files, 2, p->err,
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawnattr_setsigmask(&how, &none);
    (void)posix_spawnattr_setsigdefault(&how, &all);
    (void)posix_spawnattr_setpgroup(&how, 0);
    (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawn(pid, argv[0], &files, &how, argv, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&how);
    return failed ? err_errno(why, failed, "start %s", argv[0]) : ERR_OK;
}

/* Wait until it has ended, a signal has come or until_ns; which of these. */
static enum err wait_for(int ended, int signals, uint64_t until_ns)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = ended, .events = POLLIN},
                               {.fd = signals, .events = POLLIN}};
        uint64_t now_ns = clock_mono_ns();
        if (now_ns >= until_ns)
            return ERR_TIMEOUT;
        int n = poll(fds, 2, (int)((until_ns - now_ns) / NS_PER_MS) + 1);
        if (n > 0 && fds[0].revents)
            return ERR_OK;
        if (n > 0 && interrupt_take(signals))
            return ERR_INTERRUPTED;
    }
}

/* Wait for its end, hasten it where need be. */
static enum err finish(const struct program *program, pid_t pid, int ended,
                       int *status, struct why *why)
{
    uint64_t now_ns = clock_mono_ns();
    enum err e = wait_for(ended, program->signals, now_ns + program->limit_ns);
    if (e) {
        (void)kill(pid, SIGINT);
        if (wait_for(ended, -1, clock_mono_ns() + PATIENCE_NS))
            (void)kill(pid, SIGKILL);
    }
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    if (e == ERR_TIMEOUT)
        return err_set(why, e, "not done after %.0f s",
                       (double)program->limit_ns / NS_PER_S);
    if (e)
        return err_set(why, e, "interrupted");
    if (!WIFEXITED(*status))
        return err_set(why, ERR_CHILD, "killed by signal %d",
                       WTERMSIG(*status));
    *status = WEXITSTATUS(*status);
    return ERR_OK;
}

/* The file's bytes, terminated. */
static enum err slurp(const char *path, char **text, struct why *why)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return err_errno(why, errno, "read %s", path);
    *text = malloc(SAID_MAX + 1);
    if (*text)
        (*text)[fread(*text, 1, SAID_MAX, f)] = '\0';
    (void)fclose(f);
    return *text ? ERR_OK : err_set(why, ERR_NOMEM, "output: no memory");
}

static enum err last_line(const char *path, char *last, size_t size,
                          struct why *why)
{
    char *text = NULL;
    enum err e = slurp(path, &text, why);
    if (e)
        return e;
    size_t len = strlen(text);
    while (len && text[len - 1] == '\n')
        text[--len] = '\0';
    const char *feed = strrchr(text, '\n');
    (void)snprintf(last, size, "%s", feed ? feed + 1 : text);
    free(text);
    return ERR_OK;
}

enum err program_run(const struct program *program, char **argv,
                     struct program_end *end, struct why *why)
{
    struct paths paths;
    pid_t pid = 0;
    *end = (struct program_end){.said = NULL};
    name_paths(program, &paths);
    enum err e = start(&paths, argv, &pid, why);
    if (e)
        return e;
    int ended = pidfd_open(pid, 0);
    if (ended < 0) {
        e = err_errno(why, errno, "pidfd_open");
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, &end->status, 0);
        return e;
    }
    e = finish(program, pid, ended, &end->status, why);
    (void)close(ended);
    if (!e)
        e = last_line(paths.err, end->last, sizeof end->last, why);
    return e ? e : slurp(paths.out, &end->said, why);
}
