/* Ctrl-C and its kin as a file descriptor. */
#ifndef PITWALL_CONTROLLER_INTERRUPT_H
#define PITWALL_CONTROLLER_INTERRUPT_H

#include "common/err.h"

/* Block SIGINT, SIGTERM and SIGHUP in this thread (and those it starts later),
 * ignore SIGPIPE, and give a descriptor that becomes readable when one comes.
 * Call before anything starts threads. Owns: *fd, to be closed. */
CHECKED enum err interrupt_open(int *fd, struct why *why);

/* How many have come since the last call. */
unsigned interrupt_take(int fd);

#endif
