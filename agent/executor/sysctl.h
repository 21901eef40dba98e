/* Kernel settings of a network namespace, written so that what is in force is
 * exactly what was asked for. The kernel applies a wrong list of numbers in
 * part, so everything is checked before, written once and read back.
 *
 * sysctl_get and sysctl_set work on the calling process's network namespace
 * (by cage_run). */
#ifndef PITWALL_AGENT_EXECUTOR_SYSCTL_H
#define PITWALL_AGENT_EXECUTOR_SYSCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define SYSCTL_VALUE_MAX 128u

/* tcp_rmem's three numbers as text: 4096 <= min <= default <= max <= 256 MiB,
 * else ERR_INVALID. */
CHECKED enum err sysctl_rmem(uint32_t min, uint32_t def, uint32_t max,
                             char value[SYSCTL_VALUE_MAX], struct why *why);

/* Whether a value can be name's as far as that is known here: tcp_rmem and
 * tcp_wmem are three ordered numbers, of which the kernel would take a part.
 * ERR_INVALID says what is accepted. */
CHECKED enum err sysctl_check(const char *name, const char *value,
                              struct why *why);

/* Whether name is the calling process's network namespace's own, so that
 * writing it changes nothing outside; asked in a cage, whose namespace is not
 * the machine's. What is of the machine is not there, or may only be read. */
bool sysctl_in_namespace(const char *name);

/* Read name; blanks between numbers are one space each. */
CHECKED enum err sysctl_get(const char *name, char value[SYSCTL_VALUE_MAX],
                            struct why *why);

/* Write value once, as it is: what stands afterwards is for the caller to
 * read. Errors as the kernel's, or ERR_INVALID: no sysctl's name. */
CHECKED enum err sysctl_put(const char *name, const char *value,
                            struct why *why);

/* One space between words, none around; to may be from. */
void sysctl_normalise(char *to, size_t size, const char *from);

/* Write value, read it back, compare. A difference: the old value is written
 * back and ERR_INVALID names both. */
CHECKED enum err sysctl_set(const char *name, const char *value,
                            struct why *why);

#endif
