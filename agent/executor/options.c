#include "agent/executor/options.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

enum key {
    KEY_PARENT_FD = 1000,
    KEY_INSECURE_PLAIN,
    KEY_RESTORE_ONLY,
    KEY_CHECK,
    KEY_TARGETS,
    KEY_TLS,
    KEY_USAGE
};

static const struct argp_option table[] = {
    {"config", 'c', "FILE", 0, "Read agent.json", 0},
    {"listen", 'l', "URL", 0,
     "Where controllers connect: ipc:///PATH, tls+tcp://HOST:PORT with --tls, "
     "or tcp://HOST:PORT with --insecure-plain (default "
     "ipc://STATE/gate/agent.sock)",
     0},
    {"state", 's', "DIR", 0,
     "State folder (default /var/lib/pitwall as root, else "
     "$XDG_STATE_HOME/pitwall)",
     0},
    {"name", 'n', "NAME", 0, "Name of this agent (default: the host's)", 0},
    {"targets", KEY_TARGETS, "DIR", 0,
     "Read definitions of targets from DIR/NAME.json too (else those beside "
     "agent.json in targets/, and the shipped ones)",
     0},
    {"tls", KEY_TLS, "DIR", 0,
     "Credentials for tls+tcp: ca.pem, cert.pem and key.pem in DIR, as "
     "`pitwall ca issue' makes them",
     0},
    {"parent-fd", KEY_PARENT_FD, "N", 0,
     "Stop everything and exit at end of file on descriptor N", 0},
    {"insecure-plain", KEY_INSECURE_PLAIN, NULL, 0,
     "Allow tcp:// without encryption or authentication", 0},
    {"check", KEY_CHECK, NULL, 0,
     "Print what this machine can do and what is missing, then exit", 0},
    {"restore-only", KEY_RESTORE_ONLY, NULL, 0,
     "Undo and seal what a killed agent has left, then exit", 0},
    {"help", 'h', NULL, 0, "Print this help", -1},
    {"usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

static void set_parent_fd(struct options *o, const char *arg,
                          struct argp_state *state)
{
    uint64_t fd;
    struct why why = {0};
    if (units_u64(arg, 65535, &fd, &why) || fcntl((int)fd, F_GETFD) < 0)
        argp_error(state, "--parent-fd %s: not an open descriptor", arg);
    o->parent_fd = (int)fd;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'c':
        o->config = arg;
        return 0;
    case 'l':
        o->listen = arg;
        return 0;
    case 's':
        o->state = arg;
        return 0;
    case 'n':
        o->name = arg;
        return 0;
    case KEY_TLS:
        o->tls = arg;
        return 0;
    case KEY_TARGETS:
        o->targets = arg;
        return 0;
    case KEY_PARENT_FD:
        set_parent_fd(o, arg, state);
        return 0;
    case KEY_INSECURE_PLAIN:
        o->insecure_plain = true;
        return 0;
    case KEY_CHECK:
        o->verb = OPTIONS_CHECK;
        return 0;
    case KEY_RESTORE_ONLY:
        o->verb = OPTIONS_RESTORE;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case KEY_USAGE:
        argp_state_help(state, state->out_stream,
                        ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        (void)fprintf(state->out_stream, "pitwall-agent %s\n", PITWALL_VERSION);
        exit(0);
    case ARGP_KEY_ARG:
        argp_error(state, "%s: no such argument; options only", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_parse(struct options *o, int argc, char **argv)
{
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .doc = "The daemon on each machine of a pitwall lab: sets up links and "
               "kernel, starts target, load and watches, and undoes it all.",
    };
    argp_err_exit_status = 2; /* cli.md; glibc says 64 */
    *o = (struct options){.parent_fd = -1};
    (void)argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, o);
}

static enum err take(const char *option, const char *value, char *to,
                     size_t size, struct why *why)
{
    if (!value)
        return ERR_OK;
    if (!value[0] || strlen(value) >= size)
        return err_set(why, ERR_USAGE, "%s \"%.60s\"; accepted: 1 to %zu bytes",
                       option, value, size - 1);
    memcpy(to, value, strlen(value) + 1);
    return ERR_OK;
}

/* The state folder may be given relative; everything below needs it whole. */
static enum err take_state(const struct options *o, struct config *c,
                           struct why *why)
{
    char whole[sizeof c->state], cwd[PATH_MAX];
    enum err e = take("--state", o->state, c->state, sizeof c->state, why);
    if (e || c->state[0] == '/')
        return e;
    if (!getcwd(cwd, sizeof cwd))
        return err_set(why, ERR_IO, "no working folder");
    int n = snprintf(whole, sizeof whole, "%s/%s", cwd, c->state);
    if (n < 0 || (size_t)n >= sizeof whole)
        return err_set(why, ERR_USAGE, "--state %.60s: too long", c->state);
    memcpy(c->state, whole, (size_t)n + 1);
    return ERR_OK;
}

/* Whole too: the gate's working folder is another one. */
static enum err take_tls(const char *folder, struct config *c, struct why *why)
{
    char whole[PATH_MAX];
    if (!realpath(folder, whole))
        return err_errno(why, errno, "--tls %s", folder);
    return tls_files_folder(&c->tls, whole, why);
}

enum err options_config(const struct options *o, struct config *c,
                        struct why *why)
{
    enum err e = config_default(c, o->state ? NULL : why);
    if (e && o->state) /* without a home, --state is all that is needed */
        e = ERR_OK;
    if (!e)
        e = config_shipped(c, why);
    if (!e && o->config)
        e = config_load(c, o->config, why);
    if (e && o->config && e != ERR_INVALID) /* which names file and line */
        e = err_wrap(why, e, "--config");
    if (!e && o->targets)
        e = config_targets(c, o->targets, why);
    if (!e)
        e = take("--listen", o->listen, c->listen, sizeof c->listen, why);
    if (!e)
        e = take("--name", o->name, c->name, sizeof c->name, why);
    if (!e)
        e = take_state(o, c, why);
    if (!e && o->tls)
        e = take_tls(o->tls, c, why);
    c->insecure_plain = o->insecure_plain;
    return e;
}
