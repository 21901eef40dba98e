#include "agent/executor/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 68u /* of a chunk: "FLR", and its size at 8, big-endian */
#define CHUNKS_MAX 65536u

/* The size of the chunk at place, 0: none begins there that ends in the file.
 */
static uint64_t chunk_at(int fd, uint64_t at, uint64_t end)
{
    uint8_t head[HEAD_BYTES];
    uint64_t size = 0;
    if (pread(fd, head, sizeof head, (off_t)at) != (ssize_t)sizeof head ||
        memcmp(head, "FLR", 4) != 0)
        return 0;
    for (unsigned i = 8; i < 16; i++)
        size = size << 8 | head[i];
    return size < HEAD_BYTES || size > end - at ? 0 : size;
}

/* Where the chunks end, and where the last of them begin that may be kept. */
static void find_last(int fd, uint64_t file, uint64_t *from, uint64_t *end)
{
    uint64_t size;
    *from = *end = 0;
    for (unsigned n = 0; n < CHUNKS_MAX && *end < file; n++) {
        if (!(size = chunk_at(fd, *end, file)))
            break;
        *end += size;
    }
    while (*end - *from > SPOOL_RECORDING_MAX &&
           (size = chunk_at(fd, *from, *end)) > 0)
        *from += size;
}

static enum err take(int fd, struct spool_file *spool, struct why *why)
{
    struct stat st;
    uint64_t from, end;
    if (fstat(fd, &st))
        return err_errno(why, errno, "stat");
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INVALID, "not a plain file");
    find_last(fd, (uint64_t)st.st_size, &from, &end);
    uint64_t had = spool->stream_bytes[SPOOL_RECORDING];
    return had >= end - from
               ? ERR_OK
               : spool_file_copy(spool, SPOOL_RECORDING, fd, from + had,
                                 end - from - had, why);
}

enum err recording_take(int dir, struct spool_file *spool, struct why *why)
{
    int fd = openat(dir, "work/" RECORDING_NAME,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return ERR_OK;
    enum err e = fd < 0 ? err_errno(why, errno, "open") : take(fd, spool, why);
    if (fd >= 0)
        (void)close(fd);
    return e ? err_wrap(why, e, RECORDING_NAME) : ERR_OK;
}
