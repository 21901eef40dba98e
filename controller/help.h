/* The options that every command has: -h/--help, --usage, -V/--version. In the
 * place of argp's own, which know no -h. */
#ifndef PITWALL_CONTROLLER_HELP_H
#define PITWALL_CONTROLLER_HELP_H

#include <argp.h>

#define HELP_CHILDREN_MAX 4u

/* A copy of argp with those options as one child more. */
struct help_argp {
    struct argp argp; /* parse with ARGP_NO_HELP */
    struct argp_child children[HELP_CHILDREN_MAX + 2];
};

/* Fill out from argp (borrowed); its children must be at most
 * HELP_CHILDREN_MAX. */
void help_add(const struct argp *argp, struct help_argp *out);

#endif
