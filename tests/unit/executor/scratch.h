/* A folder of its own for a test. */
#ifndef PITWALL_TESTS_UNIT_EXECUTOR_SCRATCH_H
#define PITWALL_TESTS_UNIT_EXECUTOR_SCRATCH_H

#include <stddef.h>

struct scratch {
    char path[64];
    int fd;
};

/* Make it, and remove it with everything in it (cmocka's setup and teardown;
 * *state is a struct scratch). */
int scratch_open(void **state);
int scratch_close(void **state);

/* Write and read a file of it. read: terminated, "" when it is absent. */
void scratch_write(const struct scratch *s, const char *name, const char *text,
                   size_t len);
void scratch_read(const struct scratch *s, const char *name, char *buf,
                  size_t size);

#endif
