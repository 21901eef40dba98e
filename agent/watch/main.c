#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "agent/watch/args.h"

#define PROGRAM "pitwall-watch"

/* The two descriptors of the child contract are there, and are not handed on.
 */
static enum err check_descriptors(const struct watch_args *args,
                                  struct why *why)
{
    if (fcntl(args->control, F_SETFD, FD_CLOEXEC) ||
        fcntl(args->data, F_SETFD, FD_CLOEXEC))
        return err_errno(why, errno,
                         "file descriptors %d and %d: pitwall-agent starts "
                         "this program",
                         args->control, args->data);
    return ERR_OK;
}

int main(int argc, char **argv)
{
    struct watch_args args;
    struct why why = {0};

    args_parse(&args, argc, argv);
    /* A lost reader shows as an error; an interrupt at a terminal is the
     * executor's to act upon. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    enum err e = check_descriptors(&args, &why);
    if (!e)
        e = watch_run(&args, &why);
    return err_main(PROGRAM, e, &why);
}
