/* The commands that take figures in, give them out and mark them. */
#ifndef PITWALL_CONTROLLER_COMMAND_DATA_H
#define PITWALL_CONTROLLER_COMMAND_DATA_H

#include "common/err.h"

/* The commands' mains, as in command.h. */
CHECKED enum err import_main(int argc, char **argv, int *status,
                             struct why *why);
CHECKED enum err export_main(int argc, char **argv, int *status,
                             struct why *why);
CHECKED enum err note_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err invalidate_main(int argc, char **argv, int *status,
                                 struct why *why);
CHECKED enum err check_main(int argc, char **argv, int *status,
                            struct why *why);
CHECKED enum err merge_main(int argc, char **argv, int *status,
                            struct why *why);
CHECKED enum err history_main(int argc, char **argv, int *status,
                              struct why *why);

#endif
