#include "agent/gate/args.h"

#include <argp.h>
#include <stdlib.h>

static const struct argp_option options[] = {
    {"listen", 'l', "URL", 0,
     "Where controllers connect: ipc:///PATH, tls+tcp://HOST:PORT with --tls, "
     "or tcp://HOST:PORT with --insecure-plain",
     0},
    {"tls", 't', NULL, 0,
     "Credentials (authority, certificate, key) are on descriptors 4 to 6", 0},
    {"insecure-plain", 'p', NULL, 0,
     "Allow tcp:// without encryption or authentication", 0},
    {"help", 'h', NULL, 0, "Print this help", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case 'l':
        args->url = arg;
        return 0;
    case 't':
        args->tls = true;
        return 0;
    case 'p':
        args->insecure_plain = true;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case 'V':
        (void)fprintf(state->out_stream, "pitwall-gate %s\n", PITWALL_VERSION);
        exit(0);
    case ARGP_KEY_ARG:
        argp_error(state, "%s: no such argument; options only", arg);
        return 0;
    case ARGP_KEY_END:
        if (!args->url)
            argp_error(state, "--listen URL is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void args_parse(struct args *args, int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "The unprivileged half of pitwall's agent: takes controllers' "
               "requests and hands them to the executor on file descriptor 3. "
               "Started by pitwall-agent only.",
    };
    argp_err_exit_status = 2; /* cli.md; glibc says 64 */
    *args = (struct args){0};
    (void)argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, args);
}
