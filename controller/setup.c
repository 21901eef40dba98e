#include "controller/setup.h"

#include <stdio.h>
#include <string.h>

enum err setup_copy(char *field, size_t size, const char *what,
                    const char *text, struct why *why)
{
    size_t len = strlen(text);
    if (len >= size)
        return err_set(why, ERR_RANGE,
                       "%s: \"%.40s...\" is longer than %zu characters", what,
                       text, size - 1);
    memset(field, 0, size);
    memcpy(field, text, len);
    return ERR_OK;
}

enum err setup_param(struct setup *setup, const char *name, const char *value,
                     struct why *why)
{
    if (setup->n_params == SETUP_PARAMS_MAX)
        return err_set(why, ERR_RANGE, "more than %u track parameters",
                       SETUP_PARAMS_MAX);
    struct setup_param *p = &setup->params[setup->n_params];
    enum err e = setup_copy(p->name, sizeof p->name, "name", name, why);
    if (!e)
        e = setup_copy(p->value, sizeof p->value, "value", value, why);
    if (!e)
        setup->n_params++;
    return e;
}

/* The lists are lines, so a value may hold none. */
static enum err printable(const char *value, struct why *why)
{
    if (!value[0])
        return err_set(why, ERR_INVALID, "an empty value");
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return err_set(why, ERR_INVALID,
                           "the value holds a control character");
    return ERR_OK;
}

enum err setup_line(char *list, size_t size, const char *name,
                    const char *value, struct why *why)
{
    enum err e = printable(value, why);
    if (e)
        return e;
    size_t used = strlen(list);
    int n = snprintf(list + used, size - used, "%s=%s\n", name, value);
    if (n > 0 && (size_t)n < size - used)
        return ERR_OK;
    memset(list + used, 0, size - used);
    return err_set(why, ERR_RANGE,
                   "all such settings together are longer than "
                   "%zu characters",
                   size - 1);
}

bool setup_equal(const struct setup *a, const struct setup *b)
{
    /* Both were zeroed and are filled by setup_copy and snprintf, so that
     * equal settings are equal bytes. */
    return memcmp(a, b, sizeof *a) == 0;
}
