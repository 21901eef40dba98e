/* The command line of pitwall-agent. */
#ifndef PITWALL_AGENT_EXECUTOR_OPTIONS_H
#define PITWALL_AGENT_EXECUTOR_OPTIONS_H

#include <stdbool.h>

#include "agent/executor/config.h"

enum options_verb { OPTIONS_RUN, OPTIONS_CHECK, OPTIONS_RESTORE };

/* Texts point into argv; NULL: not given. */
struct options {
    enum options_verb verb;
    const char *config, *listen, *state, *name, *targets, *tls;
    int parent_fd; /* -1: none */
    bool insecure_plain;
};

/* Parse argv, or print help, version or the mistake (status 2) and exit. */
void options_parse(struct options *o, int argc, char **argv);

/* The configuration in force: defaults, the file, then the options.
 * ERR_USAGE, and as config_load. Owns: config_fini, after errors, too. */
CHECKED enum err options_config(const struct options *o, struct config *c,
                                struct why *why);

#endif
