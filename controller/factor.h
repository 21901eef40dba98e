/* The one table of factors: {name, kind, parse, default} (contracts.md). A
 * level is checked by putting it into a setup, so that what is accepted and
 * what takes effect cannot differ. */
#ifndef PITWALL_CONTROLLER_FACTOR_H
#define PITWALL_CONTROLLER_FACTOR_H

#include "controller/setup.h"

enum factor_kind {
    FACTOR_TARGET,
    FACTOR_LINK,
    FACTOR_KERNEL,
    FACTOR_LOAD,
    FACTOR_TRACK
};

/* A row of the table. A name that ends in '.' stands for all that begin with
 * it ("target.X"). */
struct factor {
    const char *name;
    enum factor_kind kind;
    enum err (*parse)(struct setup *setup, const char *param, const char *value,
                      struct why *why);
    const char *otherwise; /* level in force without the factor, or NULL */
    const char *examples;  /* levels, for --help; NULL: not told there */
};

/* The row of name; *param points to the part of name after a prefix ("" for
 * whole names). ERR_INVALID: unknown (with the nearest names), or a bad
 * character in the part. Valid for ever. */
CHECKED enum err factor_find(const char *name, const struct factor **factor,
                             const char **param, struct why *why);

/* "target", "link", "kernel", "load" or "track". */
const char *factor_kind_name(enum factor_kind kind);

/* Put a level of factor name into setup. ERR_INVALID, ERR_RANGE: the level does
 * not parse; the text begins with the factor's name. */
CHECKED enum err factor_set(const char *name, const char *value,
                            struct setup *setup, struct why *why);

/* A setup with every default in force. */
void factor_defaults(struct setup *setup);

/* The table as lines "  name  examples" for --help, into buf (returned). */
const char *factor_help(char *buf, size_t size);

#endif
