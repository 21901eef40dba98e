#include "agent/executor/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/counter.h"
#include "common/log.h"

static enum err write_all(int fd, const uint8_t *data, size_t len,
                          struct why *why)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, data + done, len - done);
        if (n < 0 && errno != EINTR)
            return err_errno(why, errno, "write");
        done += n > 0 ? (size_t)n : 0;
    }
    return ERR_OK;
}

static enum err read_all(int fd, uint8_t *data, size_t len, struct why *why)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, data + done, len - done, (off_t)done);
        if (n < 0 && errno != EINTR)
            return err_errno(why, errno, "read");
        if (n == 0)
            return err_set(why, ERR_IO, "it became shorter");
        done += n > 0 ? (size_t)n : 0;
    }
    return ERR_OK;
}

static enum err open_file(struct journal *j, struct why *why)
{
    j->fd = openat(j->dir, JOURNAL_NAME,
                   O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (j->fd < 0)
        return err_errno(why, errno, "open");
    if (fsync(j->fd) || fsync(j->dir))
        return err_errno(why, errno, "fsync");
    return ERR_OK;
}

/* Write what is live to a new file and put it in the journal's place. The
 * records begin anew with 1: a seq orders those of one file. */
static enum err rewrite(struct journal *j, struct why *why)
{
    size_t size = 0;
    uint8_t *bytes = malloc(CHANGES_MAX * 3 * CHANGE_RECORD_MAX);
    if (!bytes)
        return err_set(why, ERR_NOMEM, "no memory for the journal");
    uint64_t seq = 0;
    for (unsigned i = 0; i < j->live.n; i++) {
        struct change c = j->live.items[i];
        enum change_state state = c.state;
        c.state = CHANGE_INTENT;
        c.seq = ++seq;
        size += change_encode(&c, bytes + size);
        if (state != CHANGE_INTENT) {
            c.state = state;
            c.seq = ++seq;
            size += change_encode(&c, bytes + size);
        }
        j->live.items[i].seq = seq;
    }
    enum err e = counter_replace(j->dir, JOURNAL_NAME, bytes, size, why);
    free(bytes);
    if (e)
        return e;
    j->live.seq = seq;
    j->bytes = size;
    if (j->fd >= 0)
        (void)close(j->fd);
    return open_file(j, why);
}

/* Keep the damaged file for whoever wants to look at it. */
static enum err set_aside(struct journal *j, struct why *why)
{
    /* By a second name: at no time is there no journal. */
    if (unlinkat(j->dir, JOURNAL_NAME ".damaged", 0) && errno != ENOENT)
        return err_errno(why, errno, "remove an older journal.damaged");
    if (linkat(j->dir, JOURNAL_NAME, j->dir, JOURNAL_NAME ".damaged", 0))
        return err_errno(why, errno, "keep it as journal.damaged");
    j->damaged = true;
    return rewrite(j, why);
}

static enum err replay(struct journal *j, struct why *why)
{
    struct stat st;
    size_t good = 0;
    if (fstat(j->fd, &st))
        return err_errno(why, errno, "stat");
    if (st.st_size > (off_t)JOURNAL_MAX_BYTES)
        return err_set(why, ERR_RANGE, "%lld bytes; accepted: at most %u",
                       (long long)st.st_size, JOURNAL_MAX_BYTES);
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size + 1);
    if (!data)
        return err_set(why, ERR_NOMEM, "no memory for it");
    enum err e = read_all(j->fd, data, size, why);
    struct why damage = {0};
    enum err read =
        e ? ERR_OK : changes_replay(&j->live, data, size, &good, &damage);
    free(data);
    if (e)
        return e;
    j->bytes = good;
    if (read) {
        log_error("%s; kept as journal.damaged", damage.text);
        return set_aside(j, why);
    }
    if (good == size)
        return ERR_OK;
    log_warn("journal: a torn record of %zu bytes is cut off", size - good);
    if (ftruncate(j->fd, (off_t)good) || fsync(j->fd))
        return err_errno(why, errno, "cut a torn record off");
    return ERR_OK;
}

enum err journal_open(struct journal *j, int dir, struct why *why)
{
    *j = JOURNAL_NONE;
    j->dir = dir;
    enum err e = open_file(j, why);
    if (!e)
        e = replay(j, why);
    if (e) {
        journal_close(j);
        return err_wrap(why, e, "journal");
    }
    return ERR_OK;
}

enum err journal_append(struct journal *j, struct change *record,
                        struct why *why)
{
    uint8_t bytes[CHANGE_RECORD_MAX];
    if (j->broken)
        return err_set(why, ERR_IO, "the journal could not be written before");
    record->seq = j->live.seq + 1;
    size_t len = change_encode(record, bytes);
    /* An undoing must always fit: intents leave it room. */
    uint64_t room = record->state == CHANGE_INTENT
                        ? CHANGES_MAX * 4 * CHANGE_RECORD_MAX
                        : 0;
    if (j->bytes + len + room > JOURNAL_MAX_BYTES)
        return err_set(why, ERR_NOSPACE, "the journal is full");
    /* What it does to the list is tried first: a record that does not follow
     * must not reach the disk. */
    struct changes *after = malloc(sizeof *after);
    if (!after)
        return err_set(why, ERR_NOMEM, "no memory for the journal");
    *after = j->live;
    enum err e = changes_take(after, record, why);
    if (!e) {
        e = write_all(j->fd, bytes, len, why);
        if (!e && fdatasync(j->fd))
            e = err_errno(why, errno, "fdatasync");
        j->broken = e != ERR_OK;
        if (e)
            e = err_wrap(why, ERR_IO, "journal");
    }
    if (!e) {
        j->live = *after;
        j->bytes += len;
    }
    free(after);
    return e;
}

enum err journal_clear(struct journal *j, struct why *why)
{
    assert(j->live.n == 0);
    if (j->bytes == 0)
        return ERR_OK;
    enum err e = rewrite(j, why);
    if (e) {
        j->broken = true;
        return err_wrap(why, e, "journal");
    }
    return ERR_OK;
}

void journal_close(struct journal *j)
{
    if (j->fd >= 0)
        (void)close(j->fd);
    *j = JOURNAL_NONE;
}
