/* A file of ours is a head and, behind it, the file of SQLite's own kind that
 * does the work:
 *
 *   struct file | the default file system's szOsFile bytes
 *
 * Methods of version 2: those of 3 are for memory-mapped files, which the index
 * does not use. */
#include "target/disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "common/clock.h"

struct file {
    sqlite3_file head;
    sqlite3_file real[];
};

/* SQLite's default file system has no context: its state is the process's. */
static struct {
    pthread_mutex_t lock;
    struct disk sum;
    uint64_t covered_ns;
    _Atomic bool open, durable;
    sqlite3_vfs *real;
    sqlite3_vfs vfs;
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t disk_cover(uint64_t begin_ns, uint64_t end_ns, uint64_t *covered_ns)
{
    uint64_t from_ns = begin_ns > *covered_ns ? begin_ns : *covered_ns;
    if (end_ns <= from_ns)
        return 0;
    *covered_ns = end_ns;
    return end_ns - from_ns;
}

static void count(uint64_t begin_ns, bool sync)
{
    uint64_t end_ns = clock_mono_ns();
    if (!sync && end_ns - begin_ns < DISK_SLOW_NS)
        return;
    (void)pthread_mutex_lock(&disk.lock);
    if (end_ns - begin_ns >= DISK_SLOW_NS)
        disk.sum.wait_ns += disk_cover(begin_ns, end_ns, &disk.covered_ns);
    disk.sum.syncs += sync;
    (void)pthread_mutex_unlock(&disk.lock);
}

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)(void *)f)->real;
}

#define REAL(f) real(f)->pMethods

static int file_close(sqlite3_file *f)
{
    return REAL(f)->xClose(real(f));
}

static int file_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    uint64_t begin_ns = clock_mono_ns();
    int rc = REAL(f)->xRead(real(f), to, n, at);
    count(begin_ns, false);
    return rc;
}

static int file_write(sqlite3_file *f, const void *from, int n,
                      sqlite3_int64 at)
{
    uint64_t begin_ns = clock_mono_ns();
    int rc = REAL(f)->xWrite(real(f), from, n, at);
    count(begin_ns, false);
    return rc;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    uint64_t begin_ns = clock_mono_ns();
    int rc = REAL(f)->xTruncate(real(f), n);
    count(begin_ns, false);
    return rc;
}

static int file_sync(sqlite3_file *f, int flags)
{
    uint64_t begin_ns = clock_mono_ns();
    int rc = REAL(f)->xSync(real(f), flags);
    count(begin_ns, true);
    return rc;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *n)
{
    return REAL(f)->xFileSize(real(f), n);
}

static int file_lock(sqlite3_file *f, int level)
{
    return REAL(f)->xLock(real(f), level);
}

static int file_unlock(sqlite3_file *f, int level)
{
    return REAL(f)->xUnlock(real(f), level);
}

static int file_check_lock(sqlite3_file *f, int *reserved)
{
    return REAL(f)->xCheckReservedLock(real(f), reserved);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
    return REAL(f)->xFileControl(real(f), op, arg);
}

static int file_sector_size(sqlite3_file *f)
{
    return REAL(f)->xSectorSize(real(f));
}

static int file_traits(sqlite3_file *f)
{
    return REAL(f)->xDeviceCharacteristics(real(f));
}

static int file_shm_map(sqlite3_file *f, int page, int size, int extend,
                        void volatile **out)
{
    return REAL(f)->xShmMap(real(f), page, size, extend, out);
}

static int file_shm_lock(sqlite3_file *f, int from, int n, int flags)
{
    return REAL(f)->xShmLock(real(f), from, n, flags);
}

static void file_shm_barrier(sqlite3_file *f)
{
    REAL(f)->xShmBarrier(real(f));
}

static int file_shm_unmap(sqlite3_file *f, int remove)
{
    return REAL(f)->xShmUnmap(real(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap};

/* A file that was not opened may still have methods, and then is closed. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f,
                     int flags, int *out_flags)
{
    (void)vfs;
    int rc = disk.real->xOpen(disk.real, name, real(f), flags, out_flags);
    f->pMethods = REAL(f) ? &methods : NULL;
    return rc;
}

enum err disk_open(bool durable, struct why *why)
{
    atomic_store(&disk.durable, durable);
    if (atomic_load(&disk.open))
        return ERR_OK;
    disk.real = sqlite3_vfs_find(NULL);
    if (!disk.real)
        return err_set(why, ERR_STATE, "SQLite has no file system");
    disk.vfs = *disk.real;
    disk.vfs.zName = "pitwall";
    disk.vfs.pNext = NULL;
    disk.vfs.szOsFile += (int)sizeof(struct file);
    disk.vfs.xOpen = open_file;
    if (sqlite3_vfs_register(&disk.vfs, 1))
        return err_set(why, ERR_STATE, "SQLite takes no other file system");
    atomic_store(&disk.open, true);
    return ERR_OK;
}

bool disk_is_durable(void)
{
    return atomic_load(&disk.durable);
}

void disk_read(struct disk *out)
{
    (void)pthread_mutex_lock(&disk.lock);
    *out = disk.sum;
    (void)pthread_mutex_unlock(&disk.lock);
}
