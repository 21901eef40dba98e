/* Texts with numbers: each different one gets the next, from 0. */
#ifndef PITWALL_RESULTS_NAMES_H
#define PITWALL_RESULTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct names {
    char **texts; /* [n], by number */
    size_t n;
    size_t *slots; /* [n_slots] number + 1; 0: free */
    size_t n_slots;
};

/* Start empty (all zero); fini frees the copies. */
void names_fini(struct names *names);

/* The number of text; *fresh (may be NULL): it is new. ERR_NOMEM. */
CHECKED enum err names_put(struct names *names, const char *text,
                           size_t *number, bool *fresh, struct why *why);

/* The number of text; SIZE_MAX: it has none. */
size_t names_find(const struct names *names, const char *text);

#endif
