/* An agent of our own on this machine: started with a fresh state directory and
 * a pipe whose end tells it that we are gone, ended and cleared away by us. */
#ifndef PITWALL_CONTROLLER_LOCAL_H
#define PITWALL_CONTROLLER_LOCAL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct local;

/* Start pitwall-agent, with the definitions of targets in a folder (NULL: the
 * shipped ones alone), and wait until its socket is there. folder: state that
 * an earlier one left, which is taken up if it is there; NULL: begin with none.
 * Errors  ERR_NOTFOUND: no such program; ERR_INVALID: the definitions are not
 *         such, as it says; ERR_CHILD: it ended, with its last
 *         line; ERR_TIMEOUT: no socket within 10 s.
 * Owns    *out is the caller's, for local_stop; NULL on failure. */
CHECKED enum err local_start(struct local **out, const char *targets,
                             const char *folder, struct why *why);

/* "ipc:///..." of its socket; valid as long as local. */
const char *local_url(const struct local *local);

/* Whether the process lives. */
bool local_alive(struct local *local);

/* After its death: start it again on the same state, so that what it kept is
 * found. Errors as local_start, and ERR_CHILD after 3 restarts. */
CHECKED enum err local_restart(struct local *local, struct why *why);

/* The last line that it logged, "" without any, into buf (returned). */
const char *local_last_line(const struct local *local, char *buf, size_t size);

/* Where its state is. */
const char *local_folder(const struct local *local);

/* End it (end of file on its pipe, then signals) and remove its state, unless
 * keep. Accepts NULL. */
void local_stop(struct local *local, bool keep);

#endif
