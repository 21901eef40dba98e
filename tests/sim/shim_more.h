/* The rest of shim.h: folders, memory, clocks, and the names of all. */
#ifndef PITWALL_TESTS_SIM_SHIM_MORE_H
#define PITWALL_TESTS_SIM_SHIM_MORE_H

#include "tests/sim/shim.h"

/* As the calls of their names. */
ssize_t shim_pwritev(int fd, const struct iovec *iov, int n, off_t at);
int shim_fstat(int fd, struct stat *st);
int shim_fstatat(int dir, const char *name, struct stat *st, int flags);
int shim_fstatvfs(int fd, struct statvfs *st);
struct shim_dir *shim_fdopendir(int fd);
struct dirent *shim_readdir(struct shim_dir *dir);
int shim_closedir(struct shim_dir *dir);

/* Memory that is given back when the program dies. */
void *shim_malloc(size_t size);
void shim_free(void *p);

/* The machine's clocks; what is logged, with -v. */
uint64_t shim_mono_ns(void);
uint64_t shim_boot_ns(void);
void shim_log(const char *fmt, ...) PRINTF_LIKE(1, 2);

#ifdef SHIM_IN_FRONT
#define DIR                struct shim_dir
#define openat(...)        shim_openat(__VA_ARGS__)
#define mkdirat(...)       shim_mkdirat(__VA_ARGS__)
#define close(fd)          shim_close(fd)
#define fsync(fd)          shim_fsync(fd)
#define fdatasync(fd)      shim_fsync(fd)
#define ftruncate(...)     shim_ftruncate(__VA_ARGS__)
#define renameat(...)      shim_renameat(__VA_ARGS__)
#define linkat(...)        shim_linkat(__VA_ARGS__)
#define unlinkat(...)      shim_unlinkat(__VA_ARGS__)
#define read(...)          shim_read(__VA_ARGS__)
#define pread(...)         shim_pread(__VA_ARGS__)
#define write(...)         shim_write(__VA_ARGS__)
#define pwritev(...)       shim_pwritev(__VA_ARGS__)
#define fstat(...)         shim_fstat(__VA_ARGS__)
#define fstatat(...)       shim_fstatat(__VA_ARGS__)
#define fstatvfs(...)      shim_fstatvfs(__VA_ARGS__)
#define fallocate(fd, ...) ((void)(fd), 0)
#define fdopendir(fd)      shim_fdopendir(fd)
#define readdir(dir)       shim_readdir(dir)
#define closedir(dir)      shim_closedir(dir)
#define dirfd(dir)         (*(int *)(dir)) /* its first member */
#define malloc(size)       shim_malloc(size)
#define free(p)            shim_free(p)
#define time(p)            ((time_t)(shim_mono_ns() / NS_PER_S))
#define clock_mono_ns()    shim_mono_ns()
#define clock_boot_ns()    shim_boot_ns()
#define log_info(...)      shim_log(__VA_ARGS__)
#define log_warn(...)      shim_log(__VA_ARGS__)
#define log_error(...)     shim_log(__VA_ARGS__)
#endif

#endif
