/* What a child said last, from the file that has its output. */
#ifndef PITWALL_CONTROLLER_LAST_LINE_H
#define PITWALL_CONTROLLER_LAST_LINE_H

#include <stddef.h>

/* The last line of the file at path, without its end, cut to size, into buf
 * (returned); "" without any. */
const char *last_line(const char *path, char *buf, size_t size);

#endif
