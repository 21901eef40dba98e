/* Small files of kernel file systems, by folder and name. */
#ifndef PITWALL_AGENT_EXECUTOR_SMALL_FILE_H
#define PITWALL_AGENT_EXECUTOR_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Read at most size-1 bytes as a text; false: not there, or not readable, and
 * buf is "". */
bool small_file_read(int dir, const char *name, char *buf, size_t size);

/* Write text by one write. Returns 0 or errno. */
int small_file_write(int dir, const char *name, const char *text);

#endif
