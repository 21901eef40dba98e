/* The commands that show reports: report and serve. */
#ifndef PITWALL_CONTROLLER_COMMAND_REPORT_H
#define PITWALL_CONTROLLER_COMMAND_REPORT_H

#include "common/err.h"

/* Mains of commands, as command.h describes them. */
CHECKED enum err report_main(int argc, char **argv, int *status,
                             struct why *why);
CHECKED enum err serve_main(int argc, char **argv, int *status,
                            struct why *why);

#endif
