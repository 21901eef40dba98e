#include "target/indices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/shard_tend.h"

#define PATH_BYTES 4096

struct indices {
    pthread_mutex_t lock, making; /* the list; creation and deletion */
    struct index **list;          /* [n] */
    size_t n, cap;
    uint32_t n_shards, default_shards;
    struct crew *crew;
    struct templates *templates;
    atomic_bool given_up;
    char folder[PATH_BYTES / 2]; /* .../indices */
    char own[PATH_BYTES / 2];    /* to be removed in the end; "" none */
    int lock_fd;
};

static const char *path_of(const struct indices *all, const char *name,
                           char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", all->folder, name);
    return path;
}

/* Position of a name; all->n: it is not there. Locked. */
static size_t find(const struct indices *all, const char *name)
{
    size_t i = 0;
    while (i < all->n && strcmp(all->list[i]->name, name))
        i++;
    return i;
}

static enum err enlist(struct indices *all, struct index *x, struct why *why)
{
    enum err e = ERR_OK;
    (void)pthread_mutex_lock(&all->lock);
    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 16;
        struct index **list = realloc(all->list, cap * sizeof(struct index *));
        if (list) {
            all->list = list;
            all->cap = cap;
        } else {
            e = err_set(why, ERR_NOMEM, "no memory for an index");
        }
    }
    if (!e) {
        all->list[all->n++] = x;
        all->n_shards += x->n_shards;
    }
    (void)pthread_mutex_unlock(&all->lock);
    return e;
}

struct index *indices_get(struct indices *all, const char *name)
{
    (void)pthread_mutex_lock(&all->lock);
    size_t i = find(all, name);
    struct index *x = i < all->n ? all->list[i] : NULL;
    if (x)
        atomic_fetch_add(&x->refs, 1);
    (void)pthread_mutex_unlock(&all->lock);
    return x;
}

void indices_put(struct index *x)
{
    if (x && atomic_fetch_sub(&x->refs, 1) == 1)
        index_close(x);
}

/* Making is locked. */
static enum err create(struct indices *all, const char *name,
                       const struct creation *c, struct why *why)
{
    struct index *x = NULL;
    char path[PATH_BYTES];
    x = indices_get(all, name);
    if (x) {
        indices_put(x);
        return err_set(why, ERR_EXISTS, "index [%s] already exists", name);
    }
    if (all->n_shards + c->shards > INDICES_SHARDS_MAX)
        return err_set(why, ERR_RANGE,
                       "Validation Failed: 1: this action would add [%u] total "
                       "shards, but this cluster currently has [%u]/[%u] "
                       "maximum shards open;",
                       c->shards, all->n_shards, INDICES_SHARDS_MAX);
    enum err e = index_create(&x, path_of(all, name, path), name, c, why);
    return e ? e : enlist(all, x, why);
}

enum err indices_create(struct indices *all, const char *name,
                        const struct creation *c, struct why *why)
{
    (void)pthread_mutex_lock(&all->making);
    enum err e = create(all, name, c, why);
    (void)pthread_mutex_unlock(&all->making);
    return e;
}

enum err indices_need(struct indices *all, const char *name, struct index **out,
                      struct why *why)
{
    struct creation c = {.shards = all->default_shards,
                         .refresh_ns = CREATION_REFRESH_NS};
    *out = indices_get(all, name);
    if (*out)
        return ERR_OK;
    /* Nobody deletes it between its making and our taking hold. */
    (void)pthread_mutex_lock(&all->making);
    enum err e = all->templates ? templates_apply(all->templates, name, &c,
                                                  all->default_shards, why)
                                : ERR_OK;
    if (!e)
        e = create(all, name, &c, why);
    if (!e || e == ERR_EXISTS)
        *out = indices_get(all, name);
    (void)pthread_mutex_unlock(&all->making);
    creation_free(&c);
    return *out ? ERR_OK : e;
}

/* Take it off the list; the list's hold becomes the caller's. */
static struct index *delist(struct indices *all, const char *name)
{
    struct index *x = NULL;
    (void)pthread_mutex_lock(&all->lock);
    size_t i = find(all, name);
    if (i < all->n) {
        x = all->list[i];
        all->list[i] = all->list[--all->n];
        all->n_shards -= x->n_shards;
    }
    (void)pthread_mutex_unlock(&all->lock);
    return x;
}

enum err indices_drop(struct indices *all, const char *name, struct why *why)
{
    (void)pthread_mutex_lock(&all->making);
    struct index *x = delist(all, name);
    enum err e = ERR_OK;
    if (x) {
        /* Who holds it still sees the mark; open files outlive their names. */
        (void)pthread_mutex_lock(&x->write);
        (void)pthread_mutex_lock(&x->search);
        x->dropped = true;
        e = index_remove(x->path, why);
        (void)pthread_mutex_unlock(&x->search);
        (void)pthread_mutex_unlock(&x->write);
    } else {
        e = err_set(why, ERR_NOTFOUND, "no such index [%s]", name);
    }
    (void)pthread_mutex_unlock(&all->making);
    indices_put(x);
    return e;
}

struct index **indices_all(struct indices *all, size_t *n)
{
    (void)pthread_mutex_lock(&all->lock);
    *n = all->n;
    struct index **list = calloc(all->n + 1, sizeof(struct index *));
    for (size_t i = 0; list && i < all->n; i++) {
        list[i] = all->list[i];
        atomic_fetch_add(&list[i]->refs, 1);
    }
    (void)pthread_mutex_unlock(&all->lock);
    if (!list)
        *n = 0;
    return list;
}

void indices_each(struct indices *all,
                  void (*visit)(void *ctx, struct index *x), void *ctx)
{
    (void)pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < all->n; i++)
        visit(ctx, all->list[i]);
    (void)pthread_mutex_unlock(&all->lock);
}

atomic_bool *indices_given_up(struct indices *all)
{
    return &all->given_up;
}

struct crew *indices_crew(struct indices *all)
{
    return all->crew;
}

uint32_t indices_default_shards(const struct indices *all)
{
    return all->default_shards;
}

/* The shard that a part names; NULL: its index is no longer there. */
static struct shard *shard_of(const struct indices *all,
                              const struct shard_part *part)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i]->seed == part->index_seed &&
            part->shard < all->list[i]->n_shards)
            return all->list[i]->shards[part->shard];
    return NULL;
}

/* A bulk is whole when every one of its shards has come to its part. An index
 * that was deleted after it cannot tell, and need not. */
static bool whole(const struct indices *all, const struct shard *s)
{
    size_t n;
    const struct shard_part *parts = shard_parts(s, &n);
    for (size_t i = 0; i < n; i++) {
        const struct shard *other = shard_of(all, &parts[i]);
        if (other && shard_seq(other) < parts[i].seq)
            return false;
    }
    return true;
}

/* Take back what the last process left half committed. A shard's next bulk
 * begins only after its last one is whole, so the last is all that can be. */
static enum err recover(struct indices *all, struct why *why)
{
    for (size_t i = 0; i < all->n; i++) {
        struct index *x = all->list[i];
        for (uint32_t k = 0; k < x->n_shards; k++) {
            enum err e = whole(all, x->shards[k])
                             ? ERR_OK
                             : shard_undo(x->shards[k], why);
            if (!e)
                e = shard_refresh(x->shards[k], why);
            if (e)
                return e;
        }
    }
    return ERR_OK;
}

static enum err load_one(struct indices *all, const char *name, struct why *why)
{
    char path[PATH_BYTES], mark[PATH_BYTES + 16];
    struct index *x = NULL;
    (void)snprintf(mark, sizeof mark, "%s/index.json",
                   path_of(all, name, path));
    if (access(mark, F_OK))
        return index_remove(path, why); /* half made, or half deleted */
    enum err e = index_open(&x, path, name, why);
    return e ? e : enlist(all, x, why);
}

static enum err load(struct indices *all, struct why *why)
{
    DIR *folder = opendir(all->folder);
    const struct dirent *entry;
    enum err e = ERR_OK;
    if (!folder)
        return err_errno(why, errno, "%s", all->folder);
    while (!e && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            e = load_one(all, entry->d_name, why);
    (void)closedir(folder);
    return e ? e : recover(all, why);
}

/* The folder, and the lock that says whose it is. */
static enum err take_folder(struct indices *all,
                            const struct indices_config *config,
                            struct why *why)
{
    char path[PATH_BYTES];
    const char *folder = config->folder;
    if (!folder[0]) {
        (void)snprintf(all->own, sizeof all->own, "%s/pitwall-index-XXXXXX",
                       config->temporary);
        if (!mkdtemp(all->own)) {
            int errnum = errno;
            all->own[0] = '\0';
            return err_errno(why, errnum, "make a folder in %s",
                             config->temporary);
        }
        folder = all->own;
    }
    if (snprintf(path, sizeof path, "%s/lock", folder) >=
        (int)sizeof all->folder - 8)
        return err_set(why, ERR_RANGE, "--data %s: the path is too long",
                       folder);
    all->lock_fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (all->lock_fd < 0)
        return err_errno(why, errno, "%s", path);
    if (flock(all->lock_fd, LOCK_EX | LOCK_NB))
        return err_set(why, ERR_BUSY, "--data %s: another target is using it",
                       folder);
    (void)snprintf(all->folder, sizeof all->folder, "%s/indices", folder);
    if (mkdir(all->folder, 0777) && errno != EEXIST)
        return err_errno(why, errno, "%s", all->folder);
    return ERR_OK;
}

enum err indices_open(struct indices **out, const struct indices_config *config,
                      struct why *why)
{
    *out = NULL;
    struct indices *all = calloc(1, sizeof *all);
    if (!all)
        return err_set(why, ERR_NOMEM, "no memory for indices");
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_mutex_init(&all->making, NULL);
    all->lock_fd = -1;
    all->default_shards = config->shards;
    all->templates = config->templates;
    enum err e = take_folder(all, config, why);
    if (!e)
        e = load(all, why);
    if (!e)
        e = crew_open(&all->crew, config->threads, why);
    if (e) {
        indices_close(all);
        return e;
    }
    *out = all;
    return ERR_OK;
}

/* What is left of a failure to remove stays, and is seen. */
static void remove_own(const struct indices *all)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < all->n; i++) {
        enum err e = index_remove(all->list[i]->path, NULL);
        (void)e;
    }
    (void)rmdir(all->folder);
    (void)snprintf(path, sizeof path, "%s/lock", all->own);
    (void)unlink(path);
    (void)rmdir(all->own);
}

void indices_close(struct indices *all)
{
    if (!all)
        return;
    crew_close(all->crew);
    if (all->own[0])
        remove_own(all);
    for (size_t i = 0; i < all->n; i++)
        index_close(all->list[i]);
    free(all->list);
    if (all->lock_fd >= 0)
        (void)close(all->lock_fd);
    (void)pthread_mutex_destroy(&all->lock);
    (void)pthread_mutex_destroy(&all->making);
    free(all);
}
