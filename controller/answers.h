/* The commands that only read the store: list, show, query, metrics.
 * What they print is results/'s; how it is laid out is table.c's. */
#ifndef PITWALL_CONTROLLER_ANSWERS_H
#define PITWALL_CONTROLLER_ANSWERS_H

#include "common/err.h"

/* Mains of commands, as command.h describes them. */
CHECKED enum err list_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err show_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err query_main(int argc, char **argv, int *status,
                            struct why *why);
CHECKED enum err metrics_main(int argc, char **argv, int *status,
                              struct why *why);

#endif
