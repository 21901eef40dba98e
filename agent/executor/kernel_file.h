/* One setting that the kernel shows as a file, below /proc/sys or /sys. */
#ifndef PITWALL_AGENT_EXECUTOR_KERNEL_FILE_H
#define PITWALL_AGENT_EXECUTOR_KERNEL_FILE_H

#include "common/err.h"

#define KERNEL_FILE_MAX 128u /* of a value, with its end */

/* Write write_value once, as it is, or, where that is NULL, read into
 * read_value with blanks as one space each (sysctl_normalise). name heads the
 * errors, which are the kernel's. */
CHECKED enum err kernel_file(const char *path, const char *name,
                             const char *write_value,
                             char read_value[KERNEL_FILE_MAX], struct why *why);

#endif
