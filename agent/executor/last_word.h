/* The last word of a target that others wrote: a file that it leaves in its
 * working folder, which ends in the attempt's spool as pitwall-target's own
 * does. */
#ifndef PITWALL_AGENT_EXECUTOR_LAST_WORD_H
#define PITWALL_AGENT_EXECUTOR_LAST_WORD_H

#include "agent/executor/spool_file.h"

#define LAST_WORD_MAX (4u << 20) /* pitwall-target's has 3.1 MB at most */

/* Append the file name of work/ in the attempt's folder dir to spool. None is
 * ERR_OK: a killed target leaves none.
 * Errors  ERR_INVALID: not a plain file, or longer than LAST_WORD_MAX (then
 *         nothing is appended); spool_file_append's; errno's. */
CHECKED enum err last_word_take(int dir, const char *name,
                                struct spool_file *spool, struct why *why);

#endif
