/* A trial's artifacts are listed, or become files. */
#ifndef PITWALL_CONTROLLER_FETCH_H
#define PITWALL_CONTROLLER_FETCH_H

#include "results/artifact.h"
#include "results/grid.h"

/* Write the artifacts of trial (name: only this one; NULL: all) into folder,
 * which is made if it is not there, each under its name, replacing what is
 * called so; NULL: nothing is written. grid (empty) becomes their list: name,
 * bytes, SHA-256, and the path if there is one.
 * Errors  artifact_each's; ERR_INVALID: a name that is none of a file (of a
 *         store by a stranger); errno's, naming the path. */
CHECKED enum err fetch(struct store *store, const char *trial, const char *name,
                       const char *folder, struct grid *grid, struct why *why);

#endif
