/* The gate's loop: NNG on one side, the executor's port on the other. */
#ifndef PITWALL_AGENT_GATE_SERVE_H
#define PITWALL_AGENT_GATE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Handlers answer in far less than a second (contracts.md); a machine under
 * load may take its time, a hung executor must not. */
#define SERVE_PATIENCE_NS 5000000000ull

struct serve_args {
    const char *url;
    bool insecure_plain;
    int tls;      /* the first of three descriptors of credentials; -1: none */
    bool watched; /* SIGALRM may end us when the loop hangs */
    int port;     /* the executor's socket */
    int signal;   /* signalfd: readable when it is time to go; -1: none */
    uint64_t patience_ns; /* for each of the executor's answers */
};

/* Ask the executor for its facts, listen, and serve until the executor is gone
 * or a signal came (both ERR_OK).
 * Errors  ERR_BUSY: address in use; ERR_USAGE: url not accepted; ERR_TIMEOUT:
 *         the executor did not tell its facts; ERR_PROTOCOL: it answered what
 *         was not asked. */
CHECKED enum err serve_run(const struct serve_args *args, struct why *why);

#endif
