#include "controller/emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/link.h"

/* False: the level is another one. */
static bool replace(struct level *l)
{
    char label[LEVEL_LABEL_MAX + 1];
    bool own = strcmp(l->label, l->value) != 0;
    if (strcmp(l->value, "ethernet") != 0)
        return false;
    (void)snprintf(label, sizeof label, "%.30s%semulated", own ? l->label : "",
                   own ? "-" : "");
    memcpy(l->label, label, sizeof label);
    (void)snprintf(l->value, sizeof l->value, "%s", LINK_EMULATION);
    return true;
}

enum err emulate_ethernet(struct experiment *ex, struct why *why)
{
    size_t n = 0, replaced = 0;
    struct level *levels = calloc(LEVEL_LIST_MAX, sizeof *levels);
    if (!levels)
        return err_set(why, ERR_NOMEM, "levels");
    for (size_t a = 0; a < ex->n_axes; a++)
        if (!strcmp(ex->axes[a].name, "link")) {
            n = ex->axes[a].n_levels;
            memcpy(levels, ex->axes[a].levels, n * sizeof *levels);
        }
    for (size_t i = 0; i < n; i++)
        replaced += replace(&levels[i]);
    enum err e = replaced ? experiment_axis(ex, "link", levels, n, why)
                          : err_set(why, ERR_INVALID,
                                    "there is no level link=ethernet to "
                                    "emulate");
    free(levels);
    return e;
}
