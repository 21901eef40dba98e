/* The gate's command line. */
#ifndef PITWALL_AGENT_GATE_ARGS_H
#define PITWALL_AGENT_GATE_ARGS_H

#include <stdbool.h>

struct args {
    const char *url; /* into argv */
    bool insecure_plain, tls;
};

/* Parse argv, or print help, version or the mistake and exit (argp's way, the
 * status of a mistake is 2). */
void args_parse(struct args *args, int argc, char **argv);

#endif
