#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/gate/args.h"
#include "agent/gate/serve.h"
#include "agent/port.h"

#define PROGRAM "pitwall-gate"

/* Every signal but the watchdog's is blocked before NNG starts its threads,
 * which inherit that (control.md N10); SIGTERM comes by descriptor. An
 * interrupt at a terminal is the executor's to act upon. */
static enum err block_signals(int *fd, struct why *why)
{
    sigset_t all, term;
    (void)sigfillset(&all);
    (void)sigemptyset(&term);
    (void)sigaddset(&term, SIGTERM);
    (void)sigdelset(&all, SIGALRM);
    if (sigprocmask(SIG_SETMASK, &all, NULL))
        return err_errno(why, errno, "block signals");
    *fd = signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd < 0)
        return err_errno(why, errno, "signalfd");
    return ERR_OK;
}

int main(int argc, char **argv)
{
    struct args args;
    struct why why = {0};
    struct serve_args serve = {.port = PORT_FD,
                               .signal = -1,
                               .watched = true,
                               .patience_ns = SERVE_PATIENCE_NS};

    args_parse(&args, argc, argv);
    serve.url = args.url;
    serve.insecure_plain = args.insecure_plain;
    serve.tls = args.tls ? PORT_TLS_FD : -1;
    enum err e = block_signals(&serve.signal, &why);
    if (!e)
        e = serve_run(&serve, &why);
    return err_main(PROGRAM, e, &why);
}
