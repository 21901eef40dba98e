/* DIR/corpora/KEY is a whole corpus, or not there: it is written to KEY.part
 * under a lock and renamed when it is done. Who finds KEY.part locked waits; a
 * KEY.part that nobody has locked was left by a crash and is removed.
 *
 * KEY is the SHA-256 of a text that holds everything that the bytes depend on;
 * of a user's file, the bytes themselves. */
#include "load/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "tracks/corpus.h"
#include "tracks/generator.h"

#define FOLDER          "corpora"
#define PART            ".part"
#define FORMAT          1u /* of the definition below and of bulk_file.c */
#define WAIT_NS         (20 * NS_PER_MS)
#define ROOM_FIRST      ((size_t)1 << 20)
#define ROOM_MAX        ((size_t)1 << 30) /* of one document */
#define DEFINITION_SIZE (2 * PLAN_NAME_MAX + 300)

struct cache {
    const struct cache_config *config;
    const struct plan_documents *documents;
    enum corpus_stage stage;
    char folder[PATH_MAX];
    char key[CORPUS_HEX_SIZE];
    char path[PATH_MAX], part[PATH_MAX];
};

static bool stopped(const struct cache *c)
{
    return c->config->stopped && c->config->stopped(c->config->ctx);
}

static enum err interrupted(struct why *why)
{
    return err_set(why, ERR_INTERRUPTED, "interrupted");
}

static void tell(const struct cache *c, uint64_t done, uint64_t of)
{
    const struct corpus_news news = {.stage = c->stage, .done = done, .of = of};
    if (c->config->told)
        c->config->told(c->config->ctx, &news);
}

static bool goes_on(void *ctx, uint64_t bytes, uint64_t of_bytes)
{
    const struct cache *c = ctx;
    tell(c, bytes, of_bytes);
    return !stopped(c);
}

static enum err make_folders(char *path, struct why *why)
{
    for (char *at = path + 1;; at++) {
        if (*at && *at != '/')
            continue;
        char end = *at;
        *at = 0;
        int failed = mkdir(path, 0777) && errno != EEXIST;
        enum err e =
            failed ? err_errno(why, errno, "corpus cache %s", path) : ERR_OK;
        *at = end;
        /* A folder that is there may stand on a disk that takes no more. */
        if (e && !access(path, X_OK))
            e = ERR_OK;
        if (e || !end)
            return e;
    }
}

static enum err folder_find(struct cache *c, struct why *why)
{
    const char *dir = c->config->dir, *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n;
    if (dir)
        n = snprintf(c->folder, sizeof c->folder, "%s/" FOLDER, dir);
    else if (xdg && *xdg == '/')
        n = snprintf(c->folder, sizeof c->folder, "%s/pitwall/" FOLDER, xdg);
    else if (home && *home == '/')
        n = snprintf(c->folder, sizeof c->folder, "%s/.cache/pitwall/" FOLDER,
                     home);
    else
        return err_set(why, ERR_INVALID,
                       "corpus cache: neither XDG_CACHE_HOME nor HOME is set: "
                       "give --cache DIR");
    if (n < 0 || (size_t)n >= sizeof c->folder - CORPUS_HEX_SIZE - 16)
        return err_set(why, ERR_RANGE, "corpus cache: the path is too long");
    return make_folders(c->folder, why);
}

/* The bytes of the documents that are taken of a file. */
static enum err hash_file(struct cache *c, char *hex, struct why *why)
{
    const struct corpus_watch watch = {.goes_on = goes_on, .ctx = c};
    struct corpus *corpus = NULL;
    struct corpus_hash *hash = NULL;
    c->stage = CORPUS_READS;
    enum err e = corpus_open(&corpus, c->documents, &watch, why);
    if (!e)
        e = corpus_hash_new(&hash, why);
    size_t len = 0;
    const char *bytes = e ? NULL : corpus_bytes(corpus, &len);
    for (size_t at = 0, n; !e && at < len; at += n) {
        n = len - at < CORPUS_LOOK_BYTES ? len - at : CORPUS_LOOK_BYTES;
        corpus_hash_add(hash, bytes + at, n);
        if (!goes_on(c, at + n, len))
            e = interrupted(why);
    }
    if (!e)
        corpus_hash_end(hash, hex);
    corpus_hash_free(hash);
    corpus_close(corpus);
    return e;
}

static enum err key_make(struct cache *c, struct why *why)
{
    const struct plan_documents *d = c->documents;
    char text[DEFINITION_SIZE], bytes[CORPUS_HEX_SIZE] = "";
    struct corpus_hash *hash = NULL;
    enum err e = ERR_OK;
    int n;
    if (d->generator) {
        n = snprintf(text, sizeof text, "bulk %u\ngenerator %s %u\nseed %llu\n",
                     FORMAT, d->generator,
                     generator_find(d->generator)->version,
                     (unsigned long long)d->seed);
    } else {
        e = hash_file(c, bytes, why);
        n = snprintf(text, sizeof text, "bulk %u\nfile %s\n", FORMAT, bytes);
    }
    if (!e)
        e = corpus_hash_new(&hash, why);
    if (e)
        return e;
    (void)snprintf(text + n, sizeof text - (size_t)n, "docs %llu\nindex %s%s\n",
                   (unsigned long long)d->docs, d->index ? d->index : "",
                   d->create ? " create" : "");
    corpus_hash_add(hash, text, strlen(text));
    corpus_hash_end(hash, c->key);
    corpus_hash_free(hash);
    (void)snprintf(c->path, sizeof c->path, "%s/%s", c->folder, c->key);
    (void)snprintf(c->part, sizeof c->part, "%s/%s" PART, c->folder, c->key);
    return ERR_OK;
}

/* Whether fd is still what part is the name of. */
static bool is_part(const struct cache *c, int fd)
{
    struct stat a, b;
    return !fstat(fd, &a) && !stat(c->part, &b) && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

/* Whoever makes it gets on as the file grows. */
static void tell_growth(struct cache *c, int fd, uint64_t *bytes)
{
    struct stat st;
    if (fstat(fd, &st) || (uint64_t)st.st_size == *bytes)
        return;
    *bytes = (uint64_t)st.st_size;
    c->stage = CORPUS_WAITS;
    tell(c, *bytes, 0);
}

/* Open KEY.part and lock it. *fd -1: whoever had the lock has made the corpus,
 * or given up. */
static enum err part_open(struct cache *c, int *fd, struct why *why)
{
    uint64_t bytes = 0;
    const struct timespec wait = {.tv_nsec = (long)WAIT_NS};
    *fd = open(c->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*fd < 0)
        return err_errno(why, errno, "corpus cache %s", c->part);
    while (flock(*fd, LOCK_EX | LOCK_NB)) {
        enum err e = ERR_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            e = err_errno(why, errno, "corpus cache %s: lock", c->part);
        else if (stopped(c))
            e = interrupted(why);
        if (e) {
            (void)close(*fd);
            *fd = -1;
            return e;
        }
        tell_growth(c, *fd, &bytes);
        (void)nanosleep(&wait, NULL);
    }
    if (!is_part(c, *fd)) {
        (void)close(*fd);
        *fd = -1;
    }
    return ERR_OK;
}

struct entry {
    char name[CORPUS_HEX_SIZE + sizeof PART];
    uint64_t bytes;
    struct timespec used;
};

static bool older(const struct entry *a, const struct entry *b)
{
    return a->used.tv_sec != b->used.tv_sec ? a->used.tv_sec < b->used.tv_sec
                                            : a->used.tv_nsec < b->used.tv_nsec;
}

/* The size of all corpora but ours, and the one that was not used for longest.
 */
static uint64_t survey(const struct cache *c, struct entry *oldest)
{
    uint64_t sum = 0;
    struct stat st;
    const struct dirent *d;
    DIR *dir = opendir(c->folder);
    *oldest = (struct entry){0};
    while (dir && (d = readdir(dir))) {
        struct entry entry = {0};
        if (strlen(d->d_name) != CORPUS_HEX_SIZE - 1 ||
            !strcmp(d->d_name, c->key) ||
            fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        memcpy(entry.name, d->d_name, CORPUS_HEX_SIZE);
        entry.bytes = (uint64_t)st.st_size;
        entry.used = st.st_mtim;
        sum += entry.bytes;
        if (!*oldest->name || older(&entry, oldest))
            *oldest = entry;
    }
    if (dir)
        (void)closedir(dir);
    return sum;
}

/* Remove what crashes have left: parts that nobody has locked. */
static void sweep(const struct cache *c)
{
    char path[PATH_MAX];
    const struct dirent *d;
    DIR *dir = opendir(c->folder);
    while (dir && (d = readdir(dir))) {
        size_t len = strlen(d->d_name);
        if (len != CORPUS_HEX_SIZE - 1 + strlen(PART) ||
            strcmp(d->d_name + CORPUS_HEX_SIZE - 1, PART) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", c->folder, d->d_name);
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
            (void)unlink(path);
        if (fd >= 0)
            (void)close(fd);
    }
    if (dir)
        (void)closedir(dir);
}

/* Make room for so many bytes of ours. Whoever has a corpus mapped keeps it:
 * only its name goes. */
static void make_room(const struct cache *c, uint64_t bytes)
{
    struct entry oldest;
    char path[PATH_MAX];
    while (survey(c, &oldest) + bytes > c->config->limit_bytes &&
           *oldest.name) {
        (void)snprintf(path, sizeof path, "%s/%s", c->folder, oldest.name);
        if (unlink(path))
            return;
    }
}

/* Look around, now and then. */
static enum err look(const struct cache *c, uint64_t docs, uint64_t bytes,
                     struct why *why)
{
    if (stopped(c))
        return interrupted(why);
    tell(c, docs, c->documents->docs);
    if (bytes > c->config->limit_bytes)
        return err_set(why, ERR_RANGE,
                       "its first %llu of %llu documents exceed the %llu bytes "
                       "of --cache-limit",
                       (unsigned long long)docs,
                       (unsigned long long)c->documents->docs,
                       (unsigned long long)c->config->limit_bytes);
    make_room(c, bytes);
    return ERR_OK;
}

/* The next document into *buf, which grows as needed. */
static enum err next(struct corpus_reader *reader, char **buf, size_t *room,
                     size_t *len, struct why *why)
{
    while (!(*len = corpus_next(reader, *buf, *room))) {
        size_t more = *room ? 2 * *room : ROOM_FIRST;
        char *grown = more <= ROOM_MAX ? realloc(*buf, more) : NULL;
        if (!grown)
            return err_set(why, ERR_RANGE,
                           "document %llu has more than %zu bytes",
                           (unsigned long long)reader->next + 1, ROOM_MAX);
        *buf = grown;
        *room = more;
    }
    return ERR_OK;
}

static enum err write_docs(const struct cache *c, struct bulk_writer *w,
                           const struct corpus *corpus, struct why *why)
{
    struct corpus_reader reader;
    char *buf = NULL;
    size_t room = 0, len = 0;
    uint64_t look_bytes = 0, docs = c->documents->docs;
    enum err e = ERR_OK;
    corpus_seek(&reader, corpus, 0);
    for (uint64_t i = 0; i < docs && !e; i++) {
        if (bulk_writer_bytes(w) >= look_bytes) {
            look_bytes = bulk_writer_bytes(w) + CORPUS_LOOK_BYTES;
            e = look(c, i, bulk_writer_bytes(w), why);
        }
        if (!e)
            e = next(&reader, &buf, &room, &len, why);
        if (!e)
            e = bulk_writer_add(w, buf, len, why);
    }
    free(buf);
    return e ? e : look(c, docs, bulk_writer_bytes(w), why);
}

static enum err make_in(struct cache *c, int fd, struct why *why)
{
    const struct corpus_watch watch = {.goes_on = goes_on, .ctx = c};
    struct corpus *corpus = NULL;
    struct bulk_writer *w = NULL;
    c->stage = CORPUS_READS;
    enum err e = corpus_open(&corpus, c->documents, &watch, why);
    c->stage = CORPUS_MAKES;
    if (!e && ftruncate(fd, 0))
        e = err_errno(why, errno, "%s", c->part);
    if (!e)
        e = bulk_writer_new(&w, fd, c->part, why);
    if (!e)
        e = write_docs(c, w, corpus, why);
    if (!e)
        e = bulk_writer_end(w, c->key, why);
    if (!e && rename(c->part, c->path))
        e = err_errno(why, errno, "%s: rename", c->part);
    bulk_writer_free(w);
    corpus_close(corpus);
    return e;
}

static enum err make(struct cache *c, struct why *why)
{
    int fd;
    sweep(c);
    enum err e = part_open(c, &fd, why);
    if (e || fd < 0)
        return e;
    e = make_in(c, fd, why);
    if (e)
        (void)unlink(c->part); /* before the lock goes */
    (void)close(fd);
    return e;
}

/* What is documented by errors. */
static enum err wrap(const struct plan_documents *d, enum err e,
                     struct why *why)
{
    return d->generator ? err_wrap(why, e, "corpus %s", d->generator) : e;
}

enum err cache_get(struct bulk_file **out, const struct cache_config *config,
                   const struct plan_documents *documents, struct why *why)
{
    struct cache *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return err_set(why, ERR_NOMEM, "corpus: out of memory");
    const struct corpus_watch watch = {.goes_on = goes_on, .ctx = c};
    c->config = config;
    c->documents = documents;
    enum err e = folder_find(c, why);
    if (!e)
        e = key_make(c, why);
    while (!e) {
        c->stage = CORPUS_CHECKS;
        e = bulk_file_open(out, c->path, c->key, &watch, why);
        if (e != ERR_NOTFOUND && e != ERR_CORRUPT)
            break;
        e = make(c, why);
    }
    if (!e) /* used now: others go first */
        (void)utimensat(AT_FDCWD, c->path, NULL, 0);
    free(c);
    return e ? wrap(documents, e, why) : ERR_OK;
}
