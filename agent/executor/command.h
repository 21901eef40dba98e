/* The command lines of an attempt's processes, built from its spec without a
 * shell. */
#ifndef PITWALL_AGENT_EXECUTOR_COMMAND_H
#define PITWALL_AGENT_EXECUTOR_COMMAND_H

#include "agent/executor/attempt.h"
#include "agent/executor/target.h"
#include "common/spec.h"

#define COMMAND_ARGS_MAX 96u
#define COMMAND_TEXT_MAX 8192u

/* argv points into text: do not copy the struct. */
struct command {
    char *argv[COMMAND_ARGS_MAX + 1]; /* NULL-terminated */
    size_t n, used;
    char text[COMMAND_TEXT_MAX];
};

/* Where things are in this attempt. */
struct command_ground {
    const char *address; /* of the target */
    unsigned port;
    bool plain; /* no pid namespace: watch keeps to its process group */
    const struct target_def *target; /* NULL: the builtin one */
    const char *program;             /* its file, to be hashed; NULL: none */
};

/* Build the command line of part, argv[0] being the program's name.
 * ERR_INVALID: a parameter that is not "name=value"; ERR_RANGE: too many. */
CHECKED enum err command_make(struct command *c, enum part part,
                              const struct trial_spec *spec,
                              const struct command_ground *ground,
                              struct why *why);

/* Begin an empty list of arguments, or of variables; append one, made of two
 * pieces: false when it does not fit. */
void command_begin(struct command *c);
bool command_put(struct command *c, const char *before, const char *text);

/* The program of part, for place_program. */
const char *command_program(enum part part);

#endif
