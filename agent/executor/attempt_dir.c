#include "agent/executor/attempt_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/executor/children.h"
#include "agent/executor/counter.h"
#include "agent/executor/gc_log.h"
#include "agent/executor/recording.h"
#include "agent/executor/tree.h"
#include "common/crc.h"
#include "common/log.h"

#define TOMBSTONE_S (7 * 24 * 3600)

enum err attempt_dir_name(const struct attempt_id *id,
                          char name[ATTEMPT_DIR_NAME_MAX], struct why *why)
{
    size_t n = strnlen(id->eid, sizeof id->eid);
    bool good = n > 0 && n < sizeof id->eid && id->tid && id->att;
    for (size_t i = 0; good && i < n; i++)
        good = isalnum((unsigned char)id->eid[i]) || id->eid[i] == '-';
    if (!good)
        return err_set(why, ERR_INVALID,
                       "attempt: accepted are an experiment of 1 to 36 "
                       "letters, digits and hyphens, a trial and an attempt "
                       "from 1");
    (void)snprintf(name, ATTEMPT_DIR_NAME_MAX, "%s-%u-%u", id->eid, id->tid,
                   id->att);
    return ERR_OK;
}

static enum err open_dir(int attempts_fd, const char *name, int *dir,
                         struct why *why)
{
    *dir = openat(attempts_fd, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *dir < 0 ? err_errno(why, errno, "attempt %s", name) : ERR_OK;
}

enum err attempt_dir_create(int attempts_fd, const char *name, int *dir,
                            int *spool, struct why *why)
{
    *dir = *spool = -1;
    if (mkdirat(attempts_fd, name, 0700))
        return err_errno(why, errno, "attempt %s", name);
    enum err e = open_dir(attempts_fd, name, dir, why);
    if (!e) {
        *spool = openat(*dir, "spool", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        0600);
        if (*spool < 0 || mkdirat(*dir, "work", 0755))
            e = err_errno(why, errno, "attempt %s", name);
    }
    if (!e)
        e = spool_file_reserve(*spool, why);
    if (!e && (fsync(*dir) || fsync(attempts_fd)))
        e = err_errno(why, errno, "attempt %s", name);
    if (e) {
        if (*spool >= 0)
            (void)close(*spool);
        if (*dir >= 0)
            (void)close(*dir);
        *dir = *spool = -1;
        (void)!tree_remove(attempts_fd, name, NULL);
    }
    return e;
}

enum err attempt_dir_seal(int dir, const struct spool_file *spool,
                          const struct manifest *m, struct why *why)
{
    char text[MANIFEST_MAX];
    size_t len = manifest_print(m, text, sizeof text);
    if (fsync(spool->fd))
        return err_errno(why, errno, "fsync the spool");
    spool_file_release(spool);
    (void)unlinkat(dir, CHILDREN_NAME, 0); /* all have been reaped */
    enum err e = tree_remove(dir, "work", why);
    if (!e)
        e = counter_replace(dir, "manifest", text, len, why);
    return e;
}

/* Read file name of an attempt's folder as a manifest. */
static enum err read_manifest(int dir, const char *name, struct manifest *m,
                              struct why *why)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "%s", name);
    char data[MANIFEST_MAX];
    ssize_t n = read(fd, data, sizeof data);
    int saved = errno;
    (void)close(fd);
    if (n < 0)
        return err_errno(why, saved, "read %s", name);
    return manifest_parse(data, (size_t)n, m, why);
}

static enum err look(int dir, enum attempt_state *state, struct manifest *m,
                     struct why *why)
{
    *state = ATTEMPT_STORED;
    enum err e = read_manifest(dir, "stored", m, why);
    if (e != ERR_NOTFOUND)
        return e;
    *state = ATTEMPT_SEALED;
    return read_manifest(dir, "manifest", m, why);
}

enum err attempt_dir_look(int attempts_fd, const char *name,
                          enum attempt_state *state, struct manifest *m,
                          struct why *why)
{
    int dir;
    enum err e = open_dir(attempts_fd, name, &dir, why);
    if (e)
        return e;
    e = look(dir, state, m, why);
    (void)close(dir);
    return e ? err_wrap(why, e, "attempt %s", name) : ERR_OK;
}

enum err attempt_dir_open_spool(int attempts_fd, const char *name, int *fd,
                                struct why *why)
{
    enum attempt_state state;
    struct manifest m;
    *fd = -1;
    enum err e = attempt_dir_look(attempts_fd, name, &state, &m, why);
    if (e)
        return e;
    if (state == ATTEMPT_STORED)
        return err_set(why, ERR_STATE,
                       "attempt %s is stored and its spool deleted", name);
    char path[ATTEMPT_DIR_NAME_MAX + 8];
    (void)snprintf(path, sizeof path, "%s/spool", name);
    *fd = openat(attempts_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(why, errno, "%s", path) : ERR_OK;
}

static enum err ack(int dir, uint64_t bytes, uint32_t crc, struct why *why)
{
    enum attempt_state state;
    struct manifest m;
    enum err e = look(dir, &state, &m, why);
    if (e == ERR_NOTFOUND)
        return err_set(why, ERR_STATE, "not sealed yet");
    if (e)
        return e;
    if (m.bytes != bytes || m.crc != crc)
        return err_set(why, ERR_INVALID,
                       "acknowledged are %llu bytes with crc %08x, but the "
                       "spool has %llu with %08x",
                       (unsigned long long)bytes, crc,
                       (unsigned long long)m.bytes, m.crc);
    if (state == ATTEMPT_SEALED && renameat(dir, "manifest", dir, "stored"))
        return err_errno(why, errno, "rename the manifest");
    if (fsync(dir))
        return err_errno(why, errno, "fsync");
    if (unlinkat(dir, "spool", 0) && errno != ENOENT)
        return err_errno(why, errno, "remove the spool");
    return ERR_OK;
}

enum err attempt_dir_ack(int attempts_fd, const char *name, uint64_t bytes,
                         uint32_t crc, struct why *why)
{
    int dir;
    enum err e = open_dir(attempts_fd, name, &dir, why);
    if (e)
        return e;
    e = ack(dir, bytes, crc, why);
    (void)close(dir);
    return e ? err_wrap(why, e, "attempt %s", name) : ERR_OK;
}

/* Find the whole records of a spool whose writer was killed. */
static enum err count_records(struct spool_file *f, struct why *why)
{
    enum err e = ERR_OK;
    const size_t size = SPOOL_HEADER_BYTES + SPOOL_RECORD_MAX;
    uint8_t *buf = malloc(size);
    if (!buf)
        return err_set(why, ERR_NOMEM, "no memory for a spool record");
    for (;;) {
        ssize_t n = pread(f->fd, buf, size, (off_t)f->bytes);
        if (n < 0) {
            e = err_errno(why, errno, "read the spool");
            break;
        }
        struct spool_header h;
        const uint8_t *payload;
        if (spool_record_read(buf, (size_t)n, f->records, &h, &payload, NULL))
            break; /* its end, or a torn record */
        size_t whole = SPOOL_HEADER_BYTES + h.len;
        f->crc = crc32c(f->crc, buf, whole);
        f->bytes += whole;
        f->records++;
        f->stream_bytes[h.stream] += h.len;
    }
    free(buf);
    return e;
}

static enum err seal_aborted(int dir, struct why *why)
{
    int fd =
        openat(dir, "spool", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(why, errno, "spool");
    struct spool_file f;
    spool_file_init(&f, fd);
    enum err e = count_records(&f, why);
    if (!e && ftruncate(fd, (off_t)f.bytes))
        e = err_errno(why, errno, "cut the spool");
    struct why lost = {""};
    if (!e && gc_log_take(dir, &f, &lost))
        log_warn("%s", lost.text);
    if (!e && recording_take(dir, &f, &lost))
        log_warn("%s", lost.text);
    struct manifest m = {.outcome = OUTCOME_ABORTED,
                         .records = f.records,
                         .bytes = f.bytes,
                         .crc = f.crc,
                         .text = "the agent ended during the attempt"};
    if (!e)
        e = attempt_dir_seal(dir, &f, &m, why);
    (void)close(fd);
    return e;
}

static bool old_tombstone(int dir)
{
    struct stat st;
    return !fstatat(dir, "stored", &st, AT_SYMLINK_NOFOLLOW) &&
           st.st_mtime + TOMBSTONE_S < time(NULL);
}

static enum err recover(int attempts_fd, const char *name, unsigned *sealed,
                        struct why *why)
{
    int dir;
    enum err e = open_dir(attempts_fd, name, &dir, why);
    if (e)
        return e;
    enum attempt_state state;
    struct manifest m;
    bool drop = false;
    e = look(dir, &state, &m, NULL);
    if (e == ERR_NOTFOUND || e == ERR_CORRUPT) {
        unsigned lived = children_end(dir);
        if (lived)
            log_warn("ended children of a killed agent count=%u", lived);
        e = seal_aborted(dir, why);
        *sealed += !e;
    } else if (!e && state == ATTEMPT_STORED) {
        (void)unlinkat(dir, "spool", 0);
        drop = old_tombstone(dir);
    }
    (void)close(dir);
    if (drop)
        e = tree_remove(attempts_fd, name, why);
    return e ? err_wrap(why, e, "recover attempt %s", name) : ERR_OK;
}

enum err attempt_dir_recover(int attempts_fd, unsigned *sealed, struct why *why)
{
    *sealed = 0;
    int fd = openat(attempts_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        enum err e = err_errno(why, errno, "attempts");
        if (fd >= 0)
            (void)close(fd);
        return e;
    }
    enum err e = ERR_OK;
    for (struct dirent *d; !e && (d = readdir(dir));)
        if (d->d_name[0] != '.')
            e = recover(attempts_fd, d->d_name, sealed, why);
    (void)closedir(dir);
    return e;
}
