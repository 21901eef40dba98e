/* The commands of pitwall: one table, which also makes its --help. */
#ifndef PITWALL_CONTROLLER_COMMAND_H
#define PITWALL_CONTROLLER_COMMAND_H

#include <argp.h>

#include "common/err.h"

/* One command. main gets its own arguments with argv[0] = "pitwall NAME";
 * *status is the exit status when it returns ERR_OK. */
struct command {
    const char *name, *doc;
    enum err (*main)(int argc, char **argv, int *status, struct why *why);
};

/* Parse the program's own options and run the command that is named. *status
 * as above. Errors: ERR_USAGE for an unknown command, else the command's. */
CHECKED enum err command_main(int argc, char **argv, int *status,
                              struct why *why);

/* Parse a command's arguments with argp into input. argp itself prints and
 * exits (status 2) for options it does not know; ERR_USAGE stands for what a
 * parser refused, with text in *refused when that is not empty. */
CHECKED enum err command_parse(const struct argp *argp, int argc, char **argv,
                               void *input, const struct why *refused,
                               struct why *why);

/* The commands' mains. */
CHECKED enum err demo_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err run_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err plan_main(int argc, char **argv, int *status, struct why *why);
CHECKED enum err compare_main(int argc, char **argv, int *status,
                              struct why *why);
CHECKED enum err effects_main(int argc, char **argv, int *status,
                              struct why *why);
CHECKED enum err fetch_main(int argc, char **argv, int *status,
                            struct why *why);
CHECKED enum err agents_main(int argc, char **argv, int *status,
                             struct why *why);

/* ca: init and issue. */
CHECKED enum err ca_main(int argc, char **argv, int *status, struct why *why);

/* agents release: argv[0] is "release". */
CHECKED enum err release_main(int argc, char **argv, int *status,
                              struct why *why);

#endif
