/* pitwall-load by itself: a URL or a track, driven from the command line. */
#ifndef PITWALL_LOAD_SOLO_H
#define PITWALL_LOAD_SOLO_H

#include <signal.h>

#include "load/options.h"

/* Drive it and print the result on stdout. interrupted is set by a signal
 * handler: the load ends, the result so far is printed, ERR_INTERRUPTED.
 * Errors  ERR_USAGE and others of job_open; ERR_REFUSED: nobody listens; those
 *         of a task done once. */
CHECKED enum err solo_run(const struct options *options,
                          const volatile sig_atomic_t *interrupted,
                          struct why *why);

/* corpus make: write a generated corpus as NDJSON. ERR_NOSPACE, ERR_IO and
 * others of the output file. */
CHECKED enum err solo_make_corpus(const struct options *options,
                                  struct why *why);

#endif
