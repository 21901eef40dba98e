#include "agent/executor/sweeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 5u /* of 2 s for each group */

/* Everything but the pipe and the folders goes: what the executor holds open
 * must not live on in here. */
static void close_others(int life, const struct groups *g)
{
    int first = STDERR_FILENO + 1;
    for (;;) {
        /* The next descriptor that is kept. */
        int next = life >= first ? life : -1;
        for (size_t i = 0; i < g->n; i++)
            if (g->trees[i].dir >= first &&
                (next < 0 || g->trees[i].dir < next))
                next = g->trees[i].dir;
        if (next < 0)
            break;
        if (next > first)
            (void)close_range((unsigned)first, (unsigned)next - 1, 0);
        first = next + 1;
    }
    (void)close_range((unsigned)first, ~0u, 0);
}

static void sweep(int life, const struct groups *g)
{
    sigset_t all;
    char byte;
    (void)sigfillset(&all); /* a terminal's Ctrl-C is not for it */
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)prctl(PR_SET_NAME, "pitwall-sweep");
    (void)chdir("/");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(null, fd);
    close_others(life, g);
    while (read(life, &byte, 1) < 0 && errno == EINTR)
        ;
    for (unsigned i = 0; i < TRIES && groups_sweep(g, true); i++)
        ; /* a child that was being started may have joined meanwhile */
    _exit(0);
}

enum err sweeper_start(struct sweeper *s, const struct groups *groups,
                       struct why *why)
{
    int pipe_fds[2];
    *s = SWEEPER_NONE;
    if (!groups->n)
        return ERR_OK;
    if (pipe2(pipe_fds, O_CLOEXEC))
        return err_errno(why, errno, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(pipe_fds[1]);
        sweep(pipe_fds[0], groups);
    }
    int saved = errno;
    (void)close(pipe_fds[0]);
    if (pid < 0) {
        (void)close(pipe_fds[1]);
        return err_errno(why, saved, "start the sweeper");
    }
    *s = (struct sweeper){.pid = pid, .life = pipe_fds[1]};
    return ERR_OK;
}

void sweeper_stop(struct sweeper *s)
{
    if (s->life >= 0)
        (void)close(s->life);
    while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *s = SWEEPER_NONE;
}
