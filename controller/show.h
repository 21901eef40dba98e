/* Putting a grid where the operator wants it: stdout or a file. */
#ifndef PITWALL_CONTROLLER_SHOW_H
#define PITWALL_CONTROLLER_SHOW_H

#include "controller/table.h"

/* Print grid in form on stdout, or into the file at path (replaced whole, or
 * not at all). ERR_IO and errno's: cannot be written. */
CHECKED enum err show_grid(const struct grid *grid, enum table_form form,
                           const char *path, struct why *why);

#endif
