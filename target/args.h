/* The command line of pitwall-target. */
#ifndef PITWALL_TARGET_ARGS_H
#define PITWALL_TARGET_ARGS_H

#include "target/settings.h"

/* Parse argv into settings (defaults first). --help and --version print and
 * exit 0. ERR_USAGE, ERR_RANGE, ERR_NOTFOUND, ERR_PERMISSION naming option,
 * value and what is accepted. */
CHECKED enum err args_parse(struct settings *settings, int argc, char **argv,
                            struct why *why);

#endif
