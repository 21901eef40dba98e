/* The program's life: serve until SIGTERM, SIGINT or the executor's STOP, and
 * leave the final record behind. */
#ifndef PITWALL_TARGET_RUN_H
#define PITWALL_TARGET_RUN_H

#include "common/err.h"
#include "target/settings.h"

/* Serve by the child contract (settings->child: control on fd 3, record on
 * fd 4) or alone (record on standard output). ERR_OOM: the heap ran out, the
 * record is written all the same. Errors of server_open; ERR_IO, ERR_GONE: the
 * record could not be written. */
CHECKED enum err run_target(const struct settings *settings, struct why *why);

#endif
