#include <signal.h>
#include <sys/resource.h>

#include "load/attempt.h"
#include "load/solo.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void handle(int number, void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};
    (void)sigaction(number, &action, NULL);
}

/* A descriptor for each client: as many as this process may have. */
static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv)
{
    static struct options options;
    struct why why = {0};
    enum err e = options_parse(&options, argc, argv, &why);
    handle(SIGPIPE, SIG_IGN);
    raise_file_limit();
    if (e)
        return err_main("pitwall-load", e, &why);
    switch (options.mode) {
    case OPTIONS_CHILD: /* a terminal's Ctrl-C is the controller's business */
        handle(SIGINT, SIG_IGN);
        e = attempt_run(&options, &why);
        break;
    case OPTIONS_CORPUS:
        e = solo_make_corpus(&options, &why);
        break;
    case OPTIONS_URL:
    case OPTIONS_TRACK:
    default:
        handle(SIGINT, on_signal);
        handle(SIGTERM, on_signal);
        e = solo_run(&options, &interrupted, &why);
        break;
    }
    return err_main("pitwall-load", e, &why);
}
