/* Options that need no file and no agent to be judged. */
#include <string.h>

#include "common/units.h"
#include "controller/options.h"

enum err options_repeats(const struct options *o, uint32_t *retries,
                         bool *abort_on_error, struct why *why)
{
    uint64_t n = 1;
    *abort_on_error = false;
    if (o->retries) {
        enum err e = units_u64(o->retries, 10, &n, why);
        if (e)
            return err_wrap(why, e, "--retries");
    }
    *retries = (uint32_t)n;
    if (o->on_error && !strcmp(o->on_error, "abort"))
        *abort_on_error = true;
    else if (o->on_error && strcmp(o->on_error, "continue"))
        return err_set(why, ERR_USAGE,
                       "--on-error: \"%s\" is not continue or abort",
                       o->on_error);
    return ERR_OK;
}

enum err options_tags(const struct options *o, struct why *why)
{
    for (size_t i = 0; i < o->tags.n; i++) {
        char name[SETUP_NAME_MAX + 1];
        const char *value = NULL;
        enum err e =
            level_split(o->tags.items[i], name, sizeof name, &value, why);
        if (e)
            return err_wrap(why, e, "--tag");
    }
    return ERR_OK;
}
