/* The watch's command line. */
#ifndef PITWALL_AGENT_WATCH_ARGS_H
#define PITWALL_AGENT_WATCH_ARGS_H

#include "agent/watch/watch.h"

/* Parse argv, or print help, version or the mistake and exit (argp's way, the
 * status of a mistake is 2). Texts stay in argv. */
void args_parse(struct watch_args *args, int argc, char **argv);

/* "link,tcp" as devices of sampler.h; "" is all, "none" none.
 * ERR_USAGE names the word and what is accepted. */
CHECKED enum err args_devices(const char *list, unsigned *devices,
                              struct why *why);

#endif
