#include "agent/executor/spool_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/crc.h"

void spool_file_init(struct spool_file *f, int fd)
{
    *f = (struct spool_file){.fd = fd};
}

enum err spool_file_reserve(int fd, struct why *why)
{
    if (!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, SPOOL_RESERVED_BYTES) ||
        (errno != ENOSPC && errno != EDQUOT))
        return ERR_OK;
    return err_errno(why, errno, "reserve %u MiB for an attempt's results",
                     SPOOL_RESERVED_BYTES >> 20);
}

void spool_file_release(const struct spool_file *f)
{
    (void)!ftruncate(f->fd, (off_t)f->bytes); /* and all blocks beyond */
}

#define NOTE_MAX    128u /* bytes of the line about what was cut */
#define STDERR_KEPT (SPOOL_STDERR_MAX - NOTE_MAX)

static uint64_t cap_of(enum spool_stream stream)
{
    if (stream == SPOOL_GC_LOG)
        return SPOOL_GC_LOG_MAX;
    if (stream == SPOOL_RECORDING)
        return SPOOL_RECORDING_MAX;
    if (stream == SPOOL_STDERR_TARGET || stream == SPOOL_STDERR_LOAD)
        return STDERR_KEPT;
    return UINT64_MAX;
}

/* Write both pieces at the end, whole or not at all. */
static int write_record(struct spool_file *f, const uint8_t *header,
                        const void *data, size_t len)
{
    size_t done = 0, total = SPOOL_HEADER_BYTES + len;
    while (done < total) {
        struct iovec iov[2] = {
            {(void *)(uintptr_t)header, SPOOL_HEADER_BYTES},
            {(void *)(uintptr_t)data, len},
        };
        int first = done >= SPOOL_HEADER_BYTES;
        size_t skip = first ? done - SPOOL_HEADER_BYTES : done;
        iov[first].iov_base = (char *)iov[first].iov_base + skip;
        iov[first].iov_len -= skip;
        ssize_t n =
            pwritev(f->fd, iov + first, 2 - first, (off_t)(f->bytes + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int saved = n ? errno : ENOSPC;
            if (ftruncate(f->fd, (off_t)f->bytes))
                return EIO; /* a torn record stands at the end */
            return saved;
        }
        done += (size_t)n;
    }
    return 0;
}

static enum err add(struct spool_file *f, enum spool_stream stream,
                    const void *data, size_t len, struct why *why)
{
    uint8_t header[SPOOL_HEADER_BYTES];
    spool_header_make(header, stream, f->records, data, (uint32_t)len);
    int failed = write_record(f, header, data, len);
    if (failed) {
        f->broken = true;
        return err_errno(why, failed, "spool");
    }
    f->records++;
    f->bytes += sizeof header + len;
    f->crc = crc32c(crc32c(f->crc, header, sizeof header), data, len);
    return ERR_OK;
}

enum err spool_file_append(struct spool_file *f, enum spool_stream stream,
                           const void *data, size_t len, struct why *why)
{
    assert(len <= SPOOL_RECORD_MAX);
    assert(stream > SPOOL_NONE && stream < SPOOL_STREAM_LAST);
    if (f->broken)
        return err_set(why, ERR_NOSPACE, "the spool has failed before");
    uint64_t had = f->stream_bytes[stream], cap = cap_of(stream);
    f->stream_bytes[stream] += len;
    if (had >= cap || len == 0)
        return ERR_OK;
    if (len > cap - had)
        len = (size_t)(cap - had);
    return add(f, stream, data, len, why);
}

/* Fill buf with bytes at..at+len of the file. */
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

enum err spool_file_copy(struct spool_file *f, enum spool_stream stream, int fd,
                         uint64_t from, uint64_t len, struct why *why)
{
    char buf[SPOOL_RECORD_MAX];
    enum err e = ERR_OK;
    for (uint64_t left = len; left && !e;) {
        size_t n = left < sizeof buf ? (size_t)left : sizeof buf;
        e = read_at(fd, buf, n, from + len - left, why);
        if (!e)
            e = spool_file_append(f, stream, buf, n, why);
        left -= n;
    }
    return e;
}

enum err spool_file_end(struct spool_file *f, struct why *why)
{
    static const enum spool_stream said[] = {SPOOL_STDERR_TARGET,
                                             SPOOL_STDERR_LOAD};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && !f->broken && i < 2; i++) {
        char note[NOTE_MAX];
        uint64_t came = f->stream_bytes[said[i]];
        if (came <= STDERR_KEPT)
            continue;
        int n = snprintf(note, sizeof note,
                         "\n[cut: the first %u of %llu bytes are kept]\n",
                         STDERR_KEPT, (unsigned long long)came);
        e = add(f, said[i], note, (size_t)n, why);
    }
    return e;
}
