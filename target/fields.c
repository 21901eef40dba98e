/* The file has a line "dynamic WORD", then one per field: number, kind, number
 * of its sub-field or -1, path. A sub-field stands before its field. Readers
 * go through an open hash table of pointers that are set once, after what they
 * point to is complete. */
#include "target/fields.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS      4096u /* a power of two, well above FIELDS_MAX */
#define DEPTH_MAX  20u   /* as index.mapping.depth.limit */
#define LINE_BYTES (FIELDS_PATH_BYTES + 64)

struct fields {
    pthread_mutex_t lock;
    int fd;
    bool dirty;
    enum fields_dynamic dynamic;
    uint16_t n;
    _Atomic(const struct field *) slots[SLOTS];
};

static const char *const dynamic_words[] = {"true", "false", "strict"};

static uint32_t slot_of(const char *path, size_t len)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)path[i]) * 16777619u;
    return (h ^ h >> 16) % SLOTS;
}

const struct field *fields_find(const struct fields *f, const char *path,
                                size_t len)
{
    uint32_t i = slot_of(path, len);
    const struct field *at;
    while ((at = atomic_load_explicit(&f->slots[i], memory_order_acquire))) {
        if (at->len == len && !memcmp(at->path, path, len))
            return at;
        i = (i + 1) % SLOTS;
    }
    return NULL;
}

static void enter(struct fields *f, const struct field *new)
{
    uint32_t i = slot_of(new->path, new->len);
    while (atomic_load_explicit(&f->slots[i], memory_order_relaxed))
        i = (i + 1) % SLOTS;
    atomic_store_explicit(&f->slots[i], new, memory_order_release);
    f->n++;
}

static enum err append(struct fields *f, const char *line, size_t len,
                       struct why *why)
{
    off_t end = lseek(f->fd, 0, SEEK_END);
    ssize_t n = write(f->fd, line, len);
    int errnum = n < 0 ? errno : ENOSPC;
    if (n != (ssize_t)len) {
        if (ftruncate(f->fd, end))
            errnum = errno; /* half a line is there: tell that */
        return err_errno(why, errnum, "write the list of fields");
    }
    f->dirty = true;
    return ERR_OK;
}

/* Make and enter a field. Locked, or alone. */
static enum err add(struct fields *f, const struct field *like, bool store,
                    const struct field **out, struct why *why)
{
    char line[LINE_BYTES];
    if (f->n == FIELDS_MAX)
        return err_set(why, ERR_RANGE,
                       "Limit of total fields [%u] has been exceeded",
                       FIELDS_MAX);
    struct field *new = malloc(sizeof *new);
    if (!new)
        return err_set(why, ERR_NOMEM, "no memory for a field");
    *new = *like;
    new->number = f->n;
    int n = snprintf(line, sizeof line, "%u %d %d %s\n", new->number,
                     (int)new->kind, new->sub ? (int)new->sub->number : -1,
                     new->path);
    enum err e = store ? append(f, line, (size_t)n, why) : ERR_OK;
    if (e) {
        free(new);
        return e;
    }
    enter(f, new);
    *out = new;
    return ERR_OK;
}

/* A field by path, not yet entered. */
static enum err name(struct field *like, const char *path, size_t len,
                     struct why *why)
{
    if (len == 0 || len >= FIELDS_PATH_BYTES)
        return err_set(why, ERR_RANGE,
                       "a field's path has %zu bytes, accepted are 1 to %u",
                       len, FIELDS_PATH_BYTES - 1);
    memcpy(like->path, path, len);
    like->path[len] = '\0';
    like->len = len;
    return ERR_OK;
}

enum err fields_add(struct fields *f, const char *path, size_t len,
                    enum field_kind kind, const struct field **out,
                    struct why *why)
{
    struct field like = {.kind = kind};
    enum err e = name(&like, path, len, why);
    if (e)
        return e;
    (void)pthread_mutex_lock(&f->lock);
    *out = fields_find(f, path, len);
    if (!*out)
        e = add(f, &like, true, out, why);
    (void)pthread_mutex_unlock(&f->lock);
    return e;
}

enum fields_dynamic fields_dynamic(const struct fields *f)
{
    return f->dynamic;
}

enum err fields_sync(struct fields *f, struct why *why)
{
    (void)pthread_mutex_lock(&f->lock);
    int failed = f->dirty ? fdatasync(f->fd) : 0;
    int errnum = errno;
    if (!failed)
        f->dirty = false;
    (void)pthread_mutex_unlock(&f->lock);
    return failed ? err_errno(why, errnum, "sync the list of fields") : ERR_OK;
}

static enum field_kind kind_of(const struct jv *mapped)
{
    if (!jv_bool(jv_get(mapped, "index"), true) ||
        !jv_bool(jv_get(mapped, "enabled"), true))
        return FIELD_NONE;
    return !strcmp(jv_text(jv_get(mapped, "type"), ""), "text") ? FIELD_TEXT
                                                                : FIELD_EXACT;
}

/* Join a path and a name. */
static enum err join(struct field *like, const struct field *parent,
                     const char *own, struct why *why)
{
    char path[2 * FIELDS_PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s%s%s", parent ? parent->path : "",
                     parent ? "." : "", own);
    return name(like, path, (size_t)n, why);
}

/* A mapped field's multi-field, of which there may be one. */
static enum err add_sub(struct fields *f, struct field *like,
                        const struct jv *mapped, struct why *why)
{
    const char *own;
    const struct jv *sub = jv_member(jv_get(mapped, "fields"), 0, &own);
    struct field of_sub = {.kind = sub ? kind_of(sub) : FIELD_NONE};
    if (!sub)
        return ERR_OK;
    if (jv_size(jv_get(mapped, "fields")) > 1)
        return err_set(why, ERR_INVALID,
                       "[%s] has more than one multi-field, this server keeps "
                       "one",
                       like->path);
    enum err e = join(&of_sub, like, own, why);
    return e ? e : add(f, &of_sub, true, &like->sub, why);
}

static enum err add_properties(struct fields *f, const struct field *parent,
                               const struct jv *properties, unsigned depth,
                               struct why *why)
{
    const struct jv *mapped;
    const char *own;
    enum err e = ERR_OK;
    if (depth == DEPTH_MAX)
        return err_set(why, ERR_INVALID,
                       "Limit of mapping depth [%u] has been exceeded",
                       DEPTH_MAX);
    for (size_t i = 0; !e && (mapped = jv_member(properties, i, &own)); i++) {
        struct field like = {.kind = kind_of(mapped)};
        const struct field *added;
        const struct jv *inner = jv_get(mapped, "properties");
        e = join(&like, parent, own, why);
        if (e)
            break;
        if (inner) {
            e = add_properties(f, &like, inner, depth + 1, why);
            continue;
        }
        if (fields_find(f, like.path, like.len))
            continue; /* as a sub-field already */
        e = add_sub(f, &like, mapped, why);
        if (!e)
            e = add(f, &like, true, &added, why);
    }
    return e;
}

/* {"properties"}, or {"_doc": {"properties"}} as Elasticsearch 6 has it. */
static const struct jv *typeless(const struct jv *mapping)
{
    const char *own;
    const struct jv *inner = jv_member(mapping, 0, &own);
    return !jv_get(mapping, "properties") && jv_get(inner, "properties")
               ? inner
               : mapping;
}

/* A field that is there keeps its kind: its terms are in the index. */
static enum err check_kinds(const struct fields *f, const struct field *parent,
                            const struct jv *properties, unsigned depth,
                            struct why *why)
{
    static const char *const words[] = {"unsearched", "text", "exact"};
    const struct jv *mapped;
    const char *own;
    enum err e = ERR_OK;
    for (size_t i = 0;
         !e && depth < DEPTH_MAX && (mapped = jv_member(properties, i, &own));
         i++) {
        struct field like = {.kind = kind_of(mapped)};
        const struct jv *inner = jv_get(mapped, "properties");
        e = join(&like, parent, own, why);
        const struct field *there =
            e || inner ? NULL : fields_find(f, like.path, like.len);
        if (inner && !e)
            e = check_kinds(f, &like, inner, depth + 1, why);
        else if (there && there->kind != like.kind)
            e = err_set(why, ERR_INVALID,
                        "mapper [%s] cannot be changed from type [%s] to [%s]",
                        like.path, words[there->kind], words[like.kind]);
    }
    return e;
}

enum err fields_map(struct fields *f, const struct jv *mapping, struct why *why)
{
    const struct jv *properties = jv_get(typeless(mapping), "properties");
    (void)pthread_mutex_lock(&f->lock);
    enum err e = check_kinds(f, NULL, properties, 0, why);
    if (!e)
        e = add_properties(f, NULL, properties, 0, why);
    (void)pthread_mutex_unlock(&f->lock);
    return e ? e : fields_sync(f, why);
}

static enum err read_dynamic(struct fields *f, const struct jv *mapping,
                             struct why *why)
{
    const struct jv *v = jv_get(mapping, "dynamic");
    const char *word = jv_text(v, jv_bool(v, true) ? "true" : "false");
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(word, dynamic_words[i])) {
            f->dynamic = (enum fields_dynamic)i;
            return ERR_OK;
        }
    return err_set(why, ERR_INVALID,
                   "dynamic \"%s\"; accepted: true, false, strict", word);
}

static enum err open_file(struct fields **out, const char *path, int flags,
                          struct why *why)
{
    struct fields *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(why, ERR_NOMEM, "no memory for fields");
    (void)pthread_mutex_init(&f->lock, NULL);
    f->fd = open(path, flags | O_RDWR | O_APPEND | O_CLOEXEC, 0666);
    if (f->fd < 0) {
        enum err e = err_errno(why, errno, "%s", path);
        fields_free(f);
        return e;
    }
    *out = f;
    return ERR_OK;
}

enum err fields_create(struct fields **out, const char *path,
                       const struct jv *mapping, struct why *why)
{
    struct fields *f = NULL;
    char line[LINE_BYTES];
    *out = NULL;
    mapping = typeless(mapping);
    enum err e = open_file(&f, path, O_CREAT | O_EXCL, why);
    if (!e)
        e = read_dynamic(f, mapping, why);
    if (!e) {
        int n = snprintf(line, sizeof line, "dynamic %s\n",
                         dynamic_words[f->dynamic]);
        e = append(f, line, (size_t)n, why);
    }
    if (!e)
        e = add_properties(f, NULL, jv_get(mapping, "properties"), 0, why);
    if (!e)
        e = fields_sync(f, why);
    if (e) {
        fields_free(f);
        return e;
    }
    *out = f;
    return ERR_OK;
}

/* The field with a number; -1: none. */
static const struct field *numbered(const struct fields *f, int number)
{
    for (uint32_t i = 0; number >= 0 && i < SLOTS; i++) {
        const struct field *at = atomic_load(&f->slots[i]);
        if (at && at->number == number)
            return at;
    }
    return NULL;
}

static bool read_line(struct fields *f, char *line)
{
    unsigned number, kind;
    int sub, at = 0;
    struct field like = {0};
    const struct field *added;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%u %u %d %n", &number, &kind, &sub, &at) != 3 || !at ||
        kind > FIELD_EXACT || number != f->n ||
        name(&like, line + at, strlen(line + at), NULL))
        return false;
    like.kind = (enum field_kind)kind;
    like.sub = numbered(f, sub);
    return (sub < 0 || like.sub) && !add(f, &like, false, &added, NULL);
}

static bool read_head(struct fields *f, char *line)
{
    for (size_t i = 0; i < 3; i++) {
        char want[32];
        (void)snprintf(want, sizeof want, "dynamic %s\n", dynamic_words[i]);
        if (!strcmp(line, want)) {
            f->dynamic = (enum fields_dynamic)i;
            return true;
        }
    }
    return false;
}

enum err fields_open(struct fields **out, const char *path, struct why *why)
{
    struct fields *f = NULL;
    char line[LINE_BYTES];
    *out = NULL;
    enum err e = open_file(&f, path, 0, why);
    if (e)
        return e;
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, sizeof line, file) && read_head(f, line);
    while (good && fgets(line, sizeof line, file))
        good = read_line(f, line);
    if (file)
        (void)fclose(file);
    if (!good) {
        fields_free(f);
        return err_set(why, ERR_CORRUPT, "%s: not a list of fields", path);
    }
    *out = f;
    return ERR_OK;
}

void fields_free(struct fields *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < SLOTS; i++)
        free((void *)(uintptr_t)atomic_load(&f->slots[i]));
    if (f->fd >= 0)
        (void)close(f->fd);
    (void)pthread_mutex_destroy(&f->lock);
    free(f);
}
