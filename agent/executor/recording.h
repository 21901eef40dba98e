/* The flight recording of a target's Java virtual machine: a file in its
 * working folder, which ends in the attempt's spool. */
#ifndef PITWALL_AGENT_EXECUTOR_RECORDING_H
#define PITWALL_AGENT_EXECUTOR_RECORDING_H

#include "agent/executor/spool_file.h"

#define RECORDING_NAME "recording.jfr"

/* Append the recording that stands in work/ of the attempt's folder dir to
 * spool, behind what the spool has of it: its last chunks, whole ones (each is
 * a recording of its own), at most SPOOL_RECORDING_MAX bytes. None, or one of
 * no chunk, is ERR_OK. Errors  ERR_INVALID: not a plain file;
 * spool_file_copy's; errno's. */
CHECKED enum err recording_take(int dir, struct spool_file *spool,
                                struct why *why);

#endif
