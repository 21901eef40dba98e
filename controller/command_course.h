/* The commands of an experiment's course after its beginning: mains as those of
 * command.h. */
#ifndef PITWALL_CONTROLLER_COMMAND_COURSE_H
#define PITWALL_CONTROLLER_COMMAND_COURSE_H

#include "common/err.h"

/* The next sitting at an experiment that was cut short. */
CHECKED enum err resume_main(int argc, char **argv, int *status,
                             struct why *why);

/* The same of more blocks or levels. */
CHECKED enum err extend_main(int argc, char **argv, int *status,
                             struct why *why);

/* Where an experiment stands; its end in good order, asked from outside. */
CHECKED enum err status_main(int argc, char **argv, int *status,
                             struct why *why);
CHECKED enum err stop_main(int argc, char **argv, int *status, struct why *why);

/* Published experiments, and what was published held against them. */
CHECKED enum err reproduce_main(int argc, char **argv, int *status,
                                struct why *why);

/* One cell set up, to be looked at. */
CHECKED enum err hold_main(int argc, char **argv, int *status, struct why *why);

#endif
