#include "common/cpus.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A number at *at; false when there is none below CPU_SETSIZE. */
static bool number(const char **at, unsigned *n)
{
    unsigned value = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at) {
        value = value * 10 + (unsigned)(**at - '0');
        if (value >= CPU_SETSIZE)
            return false;
    }
    *n = value;
    return true;
}

bool cpus_parse(const char *list, cpu_set_t *set)
{
    const char *at = list;
    CPU_ZERO(set);
    for (;;) {
        unsigned first, last;
        if (!number(&at, &first))
            return false;
        last = first;
        if (*at == '-') {
            at++;
            if (!number(&at, &last) || last < first)
                return false;
        }
        for (unsigned cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, set);
        if (*at == '\0')
            return true;
        if (*at++ != ',')
            return false;
    }
}

void cpus_show(const cpu_set_t *set, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, set))
            continue;
        unsigned last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        char piece[32];
        int n = last > cpu ? snprintf(piece, sizeof piece, "%s%u-%u",
                                      used ? "," : "", cpu, last)
                           : snprintf(piece, sizeof piece, "%s%u",
                                      used ? "," : "", cpu);
        if (used + (size_t)n + 4 >= size) {
            (void)snprintf(buf + used, size - used, "...");
            return;
        }
        memcpy(buf + used, piece, (size_t)n + 1);
        used += (size_t)n;
        cpu = last;
    }
}
