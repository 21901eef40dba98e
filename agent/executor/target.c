#include "agent/executor/target.h"

#include <stdio.h>
#include <string.h>

static const struct target_def table[] = {
    {.name = "pitwall", .program = "pitwall-target", .contract = true},
};

#define TARGETS (sizeof table / sizeof *table)

void target_list(char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < TARGETS && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "," : "",
                                 table[i].name);
}

enum err target_find(const char *name, const struct target_def **out,
                     struct why *why)
{
    char names[256];
    for (size_t i = 0; i < TARGETS; i++)
        if (!strcmp(name, table[i].name)) {
            *out = &table[i];
            return ERR_OK;
        }
    target_list(names, sizeof names);
    return err_set(why, ERR_NOTFOUND, "target \"%.60s\"; this agent has: %s",
                   name, names);
}
