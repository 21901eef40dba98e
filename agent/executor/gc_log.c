#include "agent/executor/gc_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAX   128u /* bytes of the last line */
#define KEPT_MAX   (SPOOL_GC_LOG_MAX - NOTE_MAX)
#define TAIL_BYTES (4u << 20)

/* Fill buf with bytes at..at+len of the log. */
static enum err read_at(int fd, char *buf, size_t len, uint64_t at,
                        struct why *why)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, buf + done, len - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(why, errno, "read");
        if (n == 0)
            return err_set(why, ERR_IO, "it became shorter");
        done += (size_t)n;
    }
    return ERR_OK;
}

/* The end of the last line within the first limit bytes, sought from there
 * backwards; 0: there is none. */
static enum err last_end(int fd, uint64_t limit, uint64_t *end, struct why *why)
{
    char buf[SPOOL_RECORD_MAX];
    *end = 0;
    while (limit) {
        size_t len = limit < sizeof buf ? (size_t)limit : sizeof buf;
        enum err e = read_at(fd, buf, len, limit - len, why);
        if (e)
            return e;
        const char *feed = memrchr(buf, '\n', len);
        if (feed) {
            *end = limit - len + (uint64_t)(feed - buf) + 1;
            return ERR_OK;
        }
        limit -= len;
    }
    return ERR_OK;
}

/* Readers of such logs pass over what they do not know. */
static enum err note_cut(uint64_t kept, uint64_t bytes,
                         struct spool_file *spool, struct why *why)
{
    char line[NOTE_MAX];
    int n = snprintf(line, sizeof line,
                     "[warning][gc] log cut: the first %llu of its %llu bytes "
                     "are kept\n",
                     (unsigned long long)kept, (unsigned long long)bytes);
    return spool_file_append(spool, SPOOL_GC_LOG, line, (size_t)n, why);
}

static enum err take(int fd, struct spool_file *spool, struct why *why)
{
    struct stat st;
    uint64_t kept = 0;
    if (fstat(fd, &st))
        return err_errno(why, errno, "stat");
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INVALID, "not a plain file");
    uint64_t bytes = (uint64_t)st.st_size;
    enum err e = last_end(fd, bytes < KEPT_MAX ? bytes : KEPT_MAX, &kept, why);
    uint64_t had = spool->stream_bytes[SPOOL_GC_LOG];
    if (!e && had < kept)
        e = spool_file_copy(spool, SPOOL_GC_LOG, fd, had, kept - had, why);
    if (!e && kept < bytes && spool->stream_bytes[SPOOL_GC_LOG] <= kept)
        e = note_cut(kept, bytes, spool, why);
    return e;
}

/* NONBLOCK: opening a pipe must not wait for its writer. */
static int open_log(int dir, int flags)
{
    return openat(dir, "work/" GC_LOG_NAME,
                  flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum err gc_log_take(int dir, struct spool_file *spool, struct why *why)
{
    int fd = open_log(dir, O_RDONLY);
    if (fd < 0 && errno == ENOENT)
        return ERR_OK;
    enum err e = fd < 0 ? err_errno(why, errno, "open") : take(fd, spool, why);
    if (fd >= 0)
        (void)close(fd);
    return e ? err_wrap(why, e, GC_LOG_NAME) : ERR_OK;
}

/* The end is left to those who read it while it is written. */
void gc_log_trim(int dir)
{
    struct stat st;
    int fd = open_log(dir, O_WRONLY);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
        st.st_size > (off_t)(SPOOL_GC_LOG_MAX + TAIL_BYTES))
        /* A file system that cannot do it keeps the bytes. */
        (void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         SPOOL_GC_LOG_MAX,
                         st.st_size - (off_t)(SPOOL_GC_LOG_MAX + TAIL_BYTES));
    if (fd >= 0)
        (void)close(fd);
}
