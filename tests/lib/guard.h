/* Memory that ends at an unmapped page, so that a parser which reads one byte
 * too far crashes (picohttpparser's trick). */
#ifndef PITWALL_TESTS_LIB_GUARD_H
#define PITWALL_TESTS_LIB_GUARD_H

#include <stddef.h>

/* A copy of data[0..len) whose last byte is the last of its page, the next
 * page being unmapped. guard_free gives it back. Aborts without memory. */
char *guard_copy(const void *data, size_t len);
void guard_free(char *copy, size_t len);

#endif
