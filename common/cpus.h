/* Sets of processors as people and kernels write them: "0-3,6". */
#ifndef PITWALL_COMMON_CPUS_H
#define PITWALL_COMMON_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Read "0-3,6", numbers below CPU_SETSIZE; false: it is no such list. */
bool cpus_parse(const char *list, cpu_set_t *set);

/* Print set as such a list; what does not fit ends in "...". */
void cpus_show(const cpu_set_t *set, char *buf, size_t size);

#endif
