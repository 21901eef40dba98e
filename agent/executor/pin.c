#include "agent/executor/pin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpus.h"

enum err pin_parse(const char *list, cpu_set_t *set, struct why *why)
{
    if (cpus_parse(list, set))
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "\"%.60s\" is no list of processors; accepted: 0-3,6 with "
                   "numbers below %d",
                   list, CPU_SETSIZE);
}

/* The lower half of allowed to the target, the rest to load. */
static void halve(struct pin *pin, const cpu_set_t *allowed)
{
    int n = CPU_COUNT(allowed), given = 0;
    pin->pinned = n > 1;
    for (unsigned cpu = 0; pin->pinned && cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, allowed))
            continue;
        if (given++ < (n + 1) / 2)
            CPU_SET(cpu, &pin->target);
        else
            CPU_SET(cpu, &pin->load);
    }
}

static enum err split(struct pin *pin, const char *list,
                      const cpu_set_t *allowed, struct why *why)
{
    enum err e = pin_parse(list, &pin->target, why);
    if (e)
        return e;
    cpu_set_t common;
    CPU_AND(&common, &pin->target, allowed);
    CPU_XOR(&pin->load, allowed, &common);
    char text[64];
    cpus_show(allowed, text, sizeof text);
    if (!CPU_EQUAL(&common, &pin->target))
        return err_set(why, ERR_INVALID, "%.60s; this agent may use %s", list,
                       text);
    if (CPU_COUNT(&pin->load) == 0)
        return err_set(why, ERR_INVALID,
                       "%.60s leaves no processor of %s to load", list, text);
    pin->pinned = true;
    return ERR_OK;
}

enum err pin_make(struct pin *pin, const char *rule, const cpu_set_t *allowed,
                  struct why *why)
{
    memset(pin, 0, sizeof *pin);
    enum err e = ERR_OK;
    if (!strcmp(rule, "auto"))
        halve(pin, allowed);
    else if (rule[0] && strcmp(rule, "none") != 0)
        e = split(pin, rule, allowed, why);
    if (e)
        return err_wrap(why, e, "pin");
    if (pin->pinned) {
        cpus_show(&pin->target, pin->target_text, sizeof pin->target_text);
        cpus_show(&pin->load, pin->load_text, sizeof pin->load_text);
    }
    return ERR_OK;
}
