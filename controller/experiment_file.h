/* The experiment file (JSON, contracts.md): reading with every complaint at its
 * line, and writing the file that would repeat an experiment. */
#ifndef PITWALL_CONTROLLER_EXPERIMENT_FILE_H
#define PITWALL_CONTROLLER_EXPERIMENT_FILE_H

#include "common/json.h"
#include "controller/experiment.h"

#define EXPERIMENT_FILE_MAX (1u << 20)

/* Read the file's document (jv_load, at most EXPERIMENT_FILE_MAX bytes) into
 * ex, all but exclude and zip, which name axes that options may still change.
 * path gives the folder and the name where the file has none. ERR_INVALID and
 * ERR_RANGE as "FILE:LINE: key: ...". */
CHECKED enum err experiment_file_read(struct experiment *ex,
                                      const struct jv *doc, const char *path,
                                      struct why *why);

/* Read exclude and zip. */
CHECKED enum err experiment_file_conditions(struct experiment *ex,
                                            const struct jv *doc,
                                            struct why *why);

/* The text of a file that would repeat ex; malloc'ed, the caller's to free. */
char *experiment_file_print(const struct experiment *ex);

#endif
