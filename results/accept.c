#include "results/accept.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    double value;
    const char *unit, *text;
} table[ACCEPT_LAST] = {
#define X(name, word, value, unit, text) {word, value, unit, text},
    ACCEPTS(X)
#undef X
};

void accept_init(struct accept *accept)
{
    for (size_t i = 0; i < ACCEPT_LAST; i++)
        accept->limit[i] = table[i].value;
}

void accept_off(struct accept *accept)
{
    for (size_t i = 0; i < ACCEPT_LAST; i++)
        accept->limit[i] = INFINITY;
}

const char *accept_name(enum accept_rule rule)
{
    return table[rule].word;
}

const char *accept_unit(enum accept_rule rule)
{
    return table[rule].unit;
}

const char *accept_text(enum accept_rule rule)
{
    return table[rule].text;
}

static enum err unknown(const char *name, struct why *why)
{
    char all[200] = "";
    for (size_t i = 0, used = 0; i < ACCEPT_LAST; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s, ",
                                 table[i].word);
    return err_set(why, ERR_INVALID, "no rule \"%.40s\"; there are %sall=off",
                   name, all);
}

enum err accept_set(struct accept *accept, const char *name, const char *value,
                    struct why *why)
{
    bool off = !strcmp(value, "off");
    size_t i = 0;
    char *end = NULL;
    if (!strcmp(name, "all") && off) {
        accept_off(accept);
        return ERR_OK;
    }
    while (i < ACCEPT_LAST && strcmp(name, table[i].word) != 0)
        i++;
    if (i == ACCEPT_LAST)
        return unknown(name, why);
    double limit = off ? INFINITY : strtod(value, &end);
    bool number = off || (value[0] >= '0' && value[0] <= '9' && !*end);
    if (!number || !(limit >= 0) || (!off && !isfinite(limit)))
        return err_set(why, ERR_INVALID,
                       "%s: \"%.40s\" is no number (%s) nor off", name, value,
                       table[i].unit);
    accept->limit[i] = limit;
    return ERR_OK;
}
