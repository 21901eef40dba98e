/* Put in front of the agent's own sources: the system's files, memory, clocks
 * and log become the simulated machine's (shim.c). */
#ifndef PITWALL_TESTS_SIM_SHIM_H
#define PITWALL_TESTS_SIM_SHIM_H

/* clang-format off */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
/* clang-format on */

struct shim_dir;

/* As the calls of their names (man 2 and 3), on the disk in use. */
int shim_openat(int dir, const char *name, int flags, ...);
int shim_mkdirat(int dir, const char *name, mode_t mode);
int shim_close(int fd);
int shim_fsync(int fd);
int shim_ftruncate(int fd, off_t len);
int shim_renameat(int from, const char *old, int to, const char *new);
int shim_linkat(int from, const char *old, int to, const char *new, int flags);
int shim_unlinkat(int dir, const char *name, int flags);
ssize_t shim_read(int fd, void *to, size_t len);
ssize_t shim_pread(int fd, void *to, size_t len, off_t at);
ssize_t shim_write(int fd, const void *from, size_t len);
#include "tests/sim/shim_more.h"

#endif
