/* The file:
 *
 *   documents, `bytes` of them | zeros up to a multiple of 8 |
 *   offsets of documents 0, 16, 32, ... | trailer
 *
 * in this machine's byte order: it never leaves the machine. */
#include "load/bulk_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc.h"

#define BUFFER_BYTES ((size_t)1 << 20)
#define SETTLE_BYTES ((uint64_t)64 << 20)
#define ALIGN        8u
#define LINES        2 /* of a document */

static const char magic[8] = "pwbulk1";

struct trailer {
    char magic[sizeof magic];
    uint64_t bytes, docs;
    uint32_t data_crc, offsets_crc;
    char key[CORPUS_HEX_SIZE + 7];
    char sha256[CORPUS_HEX_SIZE + 7];
    uint32_t spare, crc; /* of what is before it */
};

static_assert(sizeof(struct trailer) % ALIGN == 0, "offsets stay aligned");

struct bulk_writer {
    int fd;
    const char *name;
    struct corpus_hash *hash;
    char *buf; /* [BUFFER_BYTES] */
    size_t used;
    uint64_t unsettled; /* bytes that the disk was not asked to take yet */
    uint64_t *offsets;
    size_t n_offsets, cap;
    struct trailer trailer;
};

static uint64_t padded(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t offsets_of(uint64_t docs)
{
    return (docs + BULK_FILE_STRIDE - 1) / BULK_FILE_STRIDE;
}

enum err bulk_writer_new(struct bulk_writer **out, int fd, const char *name,
                         struct why *why)
{
    *out = NULL;
    struct bulk_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "%s: out of memory", name);
    w->fd = fd;
    w->name = name;
    memcpy(w->trailer.magic, magic, sizeof magic);
    enum err e = corpus_hash_new(&w->hash, why);
    if (!e && !(w->buf = malloc(BUFFER_BYTES)))
        e = err_set(why, ERR_NOMEM, "%s: out of memory", name);
    if (e) {
        bulk_writer_free(w);
        return e;
    }
    *out = w;
    return ERR_OK;
}

void bulk_writer_free(struct bulk_writer *w)
{
    if (!w)
        return;
    corpus_hash_free(w->hash);
    free(w->offsets);
    free(w->buf);
    free(w);
}

/* Have the disk take what is written, so that the end has not to wait for all
 * of it. */
static void settle(struct bulk_writer *w, size_t len)
{
    w->unsettled += len;
    if (w->unsettled < SETTLE_BYTES)
        return;
    w->unsettled = 0;
    (void)sync_file_range(w->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static enum err write_all(struct bulk_writer *w, const void *data, size_t len,
                          struct why *why)
{
    const char *at = data;
    while (len) {
        ssize_t n = write(w->fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(why, errno, "%s", w->name);
        at += n;
        len -= (size_t)n;
        settle(w, (size_t)n);
    }
    return ERR_OK;
}

static enum err flush(struct bulk_writer *w, struct why *why)
{
    enum err e = write_all(w, w->buf, w->used, why);
    w->used = 0;
    return e;
}

static enum err note_offset(struct bulk_writer *w, struct why *why)
{
    if (w->n_offsets == w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 4096;
        uint64_t *offsets = realloc(w->offsets, cap * sizeof *offsets);
        if (!offsets)
            return err_set(why, ERR_NOMEM, "%s: out of memory", w->name);
        w->offsets = offsets;
        w->cap = cap;
    }
    w->offsets[w->n_offsets++] = w->trailer.bytes;
    return ERR_OK;
}

enum err bulk_writer_add(struct bulk_writer *w, const char *doc, size_t len,
                         struct why *why)
{
    enum err e = ERR_OK;
    if (w->trailer.docs++ % BULK_FILE_STRIDE == 0)
        e = note_offset(w, why);
    if (!e && len > BUFFER_BYTES - w->used)
        e = flush(w, why);
    if (e)
        return e;
    corpus_hash_add(w->hash, doc, len);
    w->trailer.data_crc = crc32c(w->trailer.data_crc, doc, len);
    w->trailer.bytes += len;
    if (len > BUFFER_BYTES)
        return write_all(w, doc, len, why);
    memcpy(w->buf + w->used, doc, len);
    w->used += len;
    return ERR_OK;
}

uint64_t bulk_writer_bytes(const struct bulk_writer *w)
{
    return w->trailer.bytes;
}

enum err bulk_writer_end(struct bulk_writer *w, const char *key,
                         struct why *why)
{
    static const char zeros[ALIGN];
    struct trailer *t = &w->trailer;
    size_t len = w->n_offsets * sizeof *w->offsets;
    assert(strlen(key) < sizeof t->key);
    strcpy(t->key, key);
    corpus_hash_end(w->hash, t->sha256);
    t->offsets_crc = crc32c(0, w->offsets, len);
    t->crc = crc32c(0, t, offsetof(struct trailer, crc));
    enum err e = flush(w, why);
    if (!e)
        e = write_all(w, zeros, (size_t)(padded(t->bytes) - t->bytes), why);
    if (!e)
        e = write_all(w, w->offsets, len, why);
    if (!e)
        e = write_all(w, t, sizeof *t, why);
    if (!e && fdatasync(w->fd))
        e = err_errno(why, errno, "%s", w->name);
    return e;
}

/* The trailer, as far as the file's length bears it out. */
static bool trailer_read(const char *map, size_t len, struct trailer *t)
{
    if (len < sizeof *t)
        return false;
    memcpy(t, map + len - sizeof *t, sizeof *t);
    size_t room = len - sizeof *t;
    return !memcmp(t->magic, magic, sizeof magic) &&
           t->crc == crc32c(0, t, offsetof(struct trailer, crc)) &&
           t->bytes <= room && offsets_of(t->docs) <= room / 8 &&
           padded(t->bytes) + 8 * offsets_of(t->docs) == room;
}

/* The checksum of all its documents. */
static enum err sum(const struct bulk_file *f, const struct corpus_watch *watch,
                    uint32_t *crc, struct why *why)
{
    *crc = 0;
    for (uint64_t at = 0, n; at < f->bytes; at += n) {
        n = f->bytes - at < CORPUS_LOOK_BYTES ? f->bytes - at
                                              : CORPUS_LOOK_BYTES;
        *crc = crc32c(*crc, f->data + at, n);
        if (watch && !watch->goes_on(watch->ctx, at + n, f->bytes))
            return err_set(why, ERR_INTERRUPTED, "interrupted");
    }
    return ERR_OK;
}

static enum err look(struct bulk_file *f, const char *path, const char *key,
                     const struct corpus_watch *watch, struct why *why)
{
    uint32_t crc;
    struct trailer t;
    if (!trailer_read(f->map, f->map_bytes, &t))
        return err_set(why, ERR_CORRUPT, "%s: is cut or damaged", path);
    if (strcmp(t.key, key) != 0)
        return err_set(why, ERR_CORRUPT, "%s: is another corpus", path);
    f->data = f->map;
    f->bytes = t.bytes;
    f->docs = t.docs;
    f->offsets = (const void *)(f->data + padded(t.bytes));
    memcpy(f->sha256, t.sha256, sizeof f->sha256);
    enum err e = sum(f, watch, &crc, why);
    if (e)
        return e;
    if (crc32c(0, f->offsets, 8 * (size_t)offsets_of(t.docs)) !=
            t.offsets_crc ||
        crc != t.data_crc)
        return err_set(why, ERR_CORRUPT, "%s: its bytes have changed", path);
    return ERR_OK;
}

enum err bulk_file_open(struct bulk_file **out, const char *path,
                        const char *key, const struct corpus_watch *watch,
                        struct why *why)
{
    struct stat st;
    void *map = MAP_FAILED;
    enum err e = ERR_OK;
    *out = NULL;
    struct bulk_file *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(why, ERR_NOMEM, "%s: out of memory", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st))
        e = err_errno(why, errno, "%s", path);
    else if (!S_ISREG(st.st_mode) || !st.st_size)
        e = err_set(why, ERR_CORRUPT, "%s: is empty or no file", path);
    if (!e) {
        f->map_bytes = (size_t)st.st_size;
        map = mmap(NULL, f->map_bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED)
            e = err_errno(why, errno, "%s: mmap", path);
    }
    if (fd >= 0)
        (void)close(fd);
    if (!e) {
        f->map = map;
        e = look(f, path, key, watch, why);
    }
    if (e) {
        bulk_file_close(f);
        return e;
    }
    *out = f;
    return ERR_OK;
}

void bulk_file_close(struct bulk_file *f)
{
    if (!f)
        return;
    if (f->map)
        (void)munmap((void *)(uintptr_t)f->map, f->map_bytes);
    free(f);
}

uint64_t bulk_file_at(const struct bulk_file *f, uint64_t doc)
{
    assert(doc <= f->docs);
    if (doc == f->docs)
        return f->bytes;
    const char *at = f->data + f->offsets[doc / BULK_FILE_STRIDE];
    const char *end = f->data + f->bytes;
    for (uint64_t i = doc % BULK_FILE_STRIDE * LINES; i && at < end; i--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return (uint64_t)(at - f->data);
}
