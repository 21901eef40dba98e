#include "target/index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json_build.h"
#include "common/rand.h"
#include "target/shard_tend.h"
#include "target/templates.h"

#define PATH_BYTES     4096
#define BODY_BYTES_MAX (4u << 20)

static const char *path_in(char to[PATH_BYTES], const char *folder,
                           const char *name)
{
    (void)snprintf(to, PATH_BYTES, "%s/%s", folder, name);
    return to;
}

/* Write a file as a whole, durably, then give it its name. */
static enum err write_file(const char *path, const char *text, struct why *why)
{
    char made[PATH_BYTES];
    int errnum = 0;
    (void)snprintf(made, sizeof made, "%s.new", path);
    FILE *f = fopen(made, "we");
    if (!f)
        return err_errno(why, errno, "%s", made);
    if (fputs(text, f) < 0 || fflush(f) || fsync(fileno(f)))
        errnum = errno;
    if (fclose(f) && !errnum)
        errnum = errno;
    if (!errnum && rename(made, path))
        errnum = errno;
    return errnum ? err_errno(why, errnum, "%s", path) : ERR_OK;
}

static enum err write_index(const struct index *x, struct why *why)
{
    char path[PATH_BYTES], *text = NULL;
    if (asprintf(&text,
                 "{\"seed\":\"%016" PRIx64 "\",\"shards\":%u,\"body\":%s}\n",
                 x->seed, x->n_shards, x->body) < 0)
        return err_set(why, ERR_NOMEM, "no memory for an index");
    enum err e = write_file(path_in(path, x->path, "index.json"), text, why);
    free(text);
    return e;
}

static enum err open_shards(struct index *x, struct why *why)
{
    char path[PATH_BYTES], name[32];
    enum err e = ERR_OK;
    x->shards = calloc(x->n_shards, sizeof(struct shard *));
    if (!x->shards)
        return err_set(why, ERR_NOMEM, "no memory for an index");
    for (uint32_t i = 0; i < x->n_shards && !e; i++) {
        (void)snprintf(name, sizeof name, "%u.db", i);
        struct shard_config config = {path_in(path, x->path, name), i, x->seed,
                                      x->fields};
        e = shard_open(&x->shards[i], &config, why);
    }
    return e;
}

static enum err begin(struct index **out, const char *path, const char *name,
                      struct why *why)
{
    struct index *x = calloc(1, sizeof *x);
    if (!x)
        return err_set(why, ERR_NOMEM, "no memory for an index");
    (void)pthread_mutex_init(&x->write, NULL);
    (void)pthread_mutex_init(&x->search, NULL);
    x->name = strdup(name);
    x->path = strdup(path);
    x->refs = 1;
    x->refreshed_ns = clock_mono_ns();
    *out = x;
    return x->name && x->path
               ? ERR_OK
               : err_set(why, ERR_NOMEM, "no memory for an index");
}

/* A seed that no other index has. */
static uint64_t new_seed(const struct index *x)
{
    struct rand r = {clock_wall_ns() ^ docid_hash(x->name, strlen(x->name))};
    r.state ^= clock_mono_ns() << 20;
    return rand_next(&r) | 1;
}

enum err index_create(struct index **out, const char *path, const char *name,
                      const struct creation *c, struct why *why)
{
    struct index *x = NULL;
    char fields[PATH_BYTES];
    *out = NULL;
    enum err e = begin(&x, path, name, why);
    if (!e && mkdir(path, 0777))
        e = err_errno(why, errno, "%s", path);
    if (!e) {
        x->seed = new_seed(x);
        x->n_shards = c->shards;
        x->refresh_interval_ns = c->refresh_ns;
        x->body = c->body ? jv_print(c->body, false) : strdup("{}");
        e = fields_create(&x->fields, path_in(fields, path, "fields"),
                          jv_get(c->body, "mappings"), why);
    }
    if (!e)
        e = open_shards(x, why);
    if (!e)
        e = write_index(x, why);
    if (e) {
        index_close(x);
        enum err left = e == ERR_EXISTS ? ERR_OK : index_remove(path, NULL);
        (void)left; /* the next start removes it */
        return e;
    }
    *out = x;
    return ERR_OK;
}

/* The body with the mapping in it, in the file too. Locked. */
static enum err lay_mapping(struct index *x, const struct jv *mapping,
                            struct why *why)
{
    struct jv *body = NULL, *over = jv_new(JV_OBJECT);
    enum err e = jv_parse(&body, "body", x->body, strlen(x->body), why);
    if (!e) {
        jv_add_copy(over, "mappings", mapping);
        templates_lay(&body, over);
        char *before = x->body, *text = jv_print(body, false);
        x->body = text;
        e = write_index(x, why);
        if (e)
            x->body = before;
        free(e ? text : before);
    }
    jv_free(over);
    jv_free(body);
    return e;
}

enum err index_map(struct index *x, const struct jv *mapping, struct why *why)
{
    (void)pthread_mutex_lock(&x->write);
    (void)pthread_mutex_lock(&x->search);
    enum err e = x->dropped ? ERR_OK : fields_map(x->fields, mapping, why);
    if (!e && !x->dropped)
        e = lay_mapping(x, mapping, why);
    (void)pthread_mutex_unlock(&x->search);
    (void)pthread_mutex_unlock(&x->write);
    return e;
}

char *index_body(struct index *x)
{
    (void)pthread_mutex_lock(&x->search);
    char *copy = strdup(x->body);
    (void)pthread_mutex_unlock(&x->search);
    return copy;
}

static enum err read_index(struct index *x, const struct jv *file,
                           struct why *why)
{
    struct creation c;
    const char *seed = jv_text(jv_get(file, "seed"), "");
    uint64_t shards = jv_u64(jv_get(file, "shards"), 0);
    char *end;
    x->seed = strtoull(seed, &end, 16);
    if (strlen(seed) != 16 || *end || shards < 1 ||
        shards > CREATION_SHARDS_MAX)
        return err_set(why, ERR_CORRUPT, "%s/index.json: no index's", x->path);
    x->n_shards = (uint32_t)shards;
    enum err e = creation_read(&c, jv_get(file, "body"), x->n_shards, why);
    x->refresh_interval_ns = c.refresh_ns;
    x->body = jv_print(jv_get(file, "body"), false);
    return e;
}

enum err index_open(struct index **out, const char *path, const char *name,
                    struct why *why)
{
    struct index *x = NULL;
    struct jv *file = NULL;
    char at[PATH_BYTES];
    *out = NULL;
    enum err e = begin(&x, path, name, why);
    if (!e)
        e = jv_load(&file, path_in(at, path, "index.json"), BODY_BYTES_MAX,
                    why);
    if (!e)
        e = read_index(x, file, why);
    if (!e)
        e = fields_open(&x->fields, path_in(at, path, "fields"), why);
    if (!e)
        e = open_shards(x, why);
    jv_free(file);
    if (e) {
        index_close(x);
        return e;
    }
    *out = x;
    return ERR_OK;
}

void index_close(struct index *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; x->shards && i < x->n_shards; i++)
        shard_close(x->shards[i]);
    free(x->shards);
    fields_free(x->fields);
    (void)pthread_mutex_destroy(&x->write);
    (void)pthread_mutex_destroy(&x->search);
    free(x->name);
    free(x->path);
    free(x->body);
    free(x);
}

enum err index_remove(const char *path, struct why *why)
{
    char at[PATH_BYTES];
    (void)unlink(path_in(at, path, "index.json"));
    DIR *folder = opendir(path);
    if (!folder)
        return err_errno(why, errno, "%s", path);
    const struct dirent *entry;
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            (void)unlink(path_in(at, path, entry->d_name));
    (void)closedir(folder);
    return rmdir(path) ? err_errno(why, errno, "%s", path) : ERR_OK;
}

static enum err refresh(struct index *x, struct why *why)
{
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < x->n_shards && !e && !x->dropped; i++)
        e = shard_refresh(x->shards[i], why);
    atomic_store(&x->refreshed_ns, clock_mono_ns());
    return e;
}

enum err index_refresh(struct index *x, struct why *why)
{
    (void)pthread_mutex_lock(&x->search);
    enum err e = refresh(x, why);
    (void)pthread_mutex_unlock(&x->search);
    return e;
}

enum err index_flush(struct index *x, struct why *why)
{
    (void)pthread_mutex_lock(&x->write);
    (void)pthread_mutex_lock(&x->search);
    enum err e = x->dropped ? ERR_OK : fields_sync(x->fields, why);
    for (uint32_t i = 0; i < x->n_shards && !e && !x->dropped; i++)
        e = shard_flush(x->shards[i], why);
    (void)pthread_mutex_unlock(&x->search);
    (void)pthread_mutex_unlock(&x->write);
    return e;
}

/* A merging of all shards. */
struct merging {
    struct index *index;
    unsigned max_segments;
    pthread_mutex_t lock;
    enum err e; /* the first */
    struct why why;
};

static void merge_shard(void *ctx, size_t i)
{
    struct merging *m = ctx;
    struct why why = {0};
    enum err e = shard_merge(m->index->shards[i], m->max_segments, &why);
    (void)pthread_mutex_lock(&m->lock);
    if (e && !m->e) {
        m->e = e;
        m->why = why;
    }
    (void)pthread_mutex_unlock(&m->lock);
}

enum err index_merge(struct index *x, struct crew *crew, unsigned max_segments,
                     struct why *why)
{
    struct merging m = {.index = x, .max_segments = max_segments};
    (void)pthread_mutex_init(&m.lock, NULL);
    (void)pthread_mutex_lock(&x->write);
    if (!x->dropped)
        crew_run(crew, x->n_shards, merge_shard, &m);
    (void)pthread_mutex_unlock(&x->write);
    (void)pthread_mutex_destroy(&m.lock);
    return m.e ? err_set(why, m.e, "%s", m.why.text) : ERR_OK;
}

void index_tick(struct index *x, uint64_t now_ns)
{
    uint64_t interval_ns = atomic_load(&x->refresh_interval_ns);
    struct why why = {0};
    if (interval_ns == CREATION_REFRESH_NEVER ||
        now_ns - atomic_load(&x->refreshed_ns) < interval_ns ||
        pthread_mutex_trylock(&x->search))
        return;
    enum err e = refresh(x, &why); /* the next turn tries again */
    (void)e;
    (void)pthread_mutex_unlock(&x->search);
}
