#include "controller/help.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_USAGE = 1024 };

static const struct argp_option options[] = {
    {"help", 'h', NULL, 0, "give this help list", -1},
    {"usage", KEY_USAGE, NULL, 0, "give a short usage message", -1},
    {"version", 'V', NULL, 0, "print the version", -1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        (void)puts("pitwall " PITWALL_VERSION);
        exit(0);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp help_argp = {.options = options, .parser = parse};

void help_add(const struct argp *argp, struct help_argp *out)
{
    size_t n = 0;
    *out = (struct help_argp){.argp = *argp};
    for (; argp->children && argp->children[n].argp; n++) {
        assert(n < HELP_CHILDREN_MAX);
        out->children[n] = argp->children[n];
    }
    out->children[n] = (struct argp_child){&help_argp, 0, NULL, -1};
    out->argp.children = out->children;
}
