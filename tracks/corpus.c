#include "tracks/corpus.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracks/generator.h"

/* A file's documents are found through the offset of each 1024th. */
#define INDEX_STRIDE 1024u

struct corpus {
    const struct plan_documents *documents;
    const struct generator *generator; /* NULL: a file */
    char action[PLAN_NAME_MAX + 32];   /* empty: the file has its own */
    size_t action_len;
    const char *map;
    size_t map_len, used_len; /* of it [0, used_len) is the documents' */
    uint64_t *offsets;        /* [docs / INDEX_STRIDE + 1] */
    unsigned lines;           /* per document */
};

/* End of the line that begins at offset: behind its newline, or the file's end.
 */
static size_t line_end(const struct corpus *c, size_t offset)
{
    const char *newline = memchr(c->map + offset, '\n', c->map_len - offset);
    return newline ? (size_t)(newline - c->map) + 1 : c->map_len;
}

/* End of the document that begins at offset. */
static size_t document_end(const struct corpus *c, size_t offset)
{
    for (unsigned i = 0; i < c->lines && offset < c->map_len; i++)
        offset = line_end(c, offset);
    return offset;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether an object's only member is an action that a source line follows. */
static bool is_action(const char *text, size_t len)
{
    static const char *const names[] = {"\"index\"", "\"create\"",
                                        "\"update\""};
    const char *at = text + 1, *end = text + len;
    size_t name = 0;
    while (at < end && is_blank(*at))
        at++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) < (size_t)(end - at) &&
            !memcmp(at, names[i], strlen(names[i])))
            name = strlen(names[i]);
    if (!name)
        return false;
    at += name;
    while (at < end && (is_blank(*at) || *at == ':'))
        at++;
    return at < end && *at == '{' && end[-1] == '}';
}

/* What a look at both ends of a line tells: the whole of it is the target's to
 * read. The first line shows whether action lines are where they should be. */
static enum err check_line(const struct corpus *c, size_t from, size_t end,
                           uint64_t line, struct why *why)
{
    bool action = c->lines == 2 && line % 2 == 1;
    const char *what = NULL;
    while (from < end && is_blank(c->map[end - 1]))
        end--;
    while (from < end && is_blank(c->map[from]))
        from++;
    if (from == end)
        what = "is empty";
    else if (c->map[from] != '{' || c->map[end - 1] != '}')
        what = "is no JSON object";
    else if (action && !is_action(c->map + from, end - from))
        what = "is no action line; accepted: index, create, update";
    if (!what)
        return ERR_OK;
    return err_set(why, ERR_INVALID, "corpus %s:%llu: %s", c->documents->file,
                   (unsigned long long)line, what);
}

/* A line whose only content is {"index": {...}} where documents should be. */
static enum err check_first(const struct corpus *c, struct why *why)
{
    const char *newline = memchr(c->map, '\n', c->map_len);
    size_t len = newline ? (size_t)(newline - c->map) : c->map_len;
    while (len && is_blank(c->map[len - 1]))
        len--;
    if (c->lines == 2 || len < 2 || c->map[len - 2] == ',' ||
        !is_action(c->map, len) || !memmem(c->map, len, "_index", 6))
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "corpus %s:1: is an action line: the track must say "
                   "\"includes-action-and-meta-data\": true",
                   c->documents->file);
}

/* Tell the watch, when enough was read since *told. */
static enum err tell(const struct corpus *c, const struct corpus_watch *watch,
                     size_t offset, size_t *told, struct why *why)
{
    if (!watch || offset - *told < CORPUS_LOOK_BYTES)
        return ERR_OK;
    *told = offset;
    if (watch->goes_on(watch->ctx, offset, c->map_len))
        return ERR_OK;
    return err_set(why, ERR_INTERRUPTED, "interrupted");
}

static enum err index_file(struct corpus *c, const struct corpus_watch *watch,
                           struct why *why)
{
    uint64_t docs = c->documents->docs;
    c->offsets = calloc(docs / INDEX_STRIDE + 1, sizeof *c->offsets);
    if (!c->offsets)
        return err_set(why, ERR_NOMEM, "corpus %s: out of memory",
                       c->documents->file);
    size_t offset = 0, told = 0;
    enum err e = check_first(c, why);
    for (uint64_t i = 0; i < docs && !e; i++) {
        if (i % INDEX_STRIDE == 0)
            c->offsets[i / INDEX_STRIDE] = offset;
        for (unsigned k = 0; k < c->lines && !e; k++) {
            if (offset == c->map_len)
                return err_set(why, ERR_INVALID,
                               "corpus %s: has %llu documents of %u line%s, "
                               "not %llu",
                               c->documents->file, (unsigned long long)i,
                               c->lines, c->lines > 1 ? "s" : "",
                               (unsigned long long)docs);
            size_t end = line_end(c, offset);
            e = check_line(c, offset, end, i * c->lines + k + 1, why);
            offset = end;
        }
        if (!e)
            e = tell(c, watch, offset, &told, why);
    }
    c->used_len = offset;
    return e;
}

static enum err open_file(struct corpus *c, const struct corpus_watch *watch,
                          struct why *why)
{
    const char *path = c->documents->file;
    enum err e = ERR_OK;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        const char *origin = c->documents->origin;
        e = err_errno(why, errno, "corpus %s%s%s%s", path,
                      origin ? " (unpacked from " : "", origin ? origin : "",
                      origin ? ")" : "");
        goto out;
    }
    if (!S_ISREG(st.st_mode) || !st.st_size) {
        e = err_set(why, ERR_INVALID, "corpus %s: %s", path,
                    S_ISREG(st.st_mode) ? "empty" : "not a file");
        goto out;
    }
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        e = err_errno(why, errno, "corpus %s: mmap", path);
        goto out;
    }
    c->map = map;
    c->map_len = (size_t)st.st_size;
    c->lines = c->documents->index ? 1 : 2;
    e = index_file(c, watch, why);
out:
    if (fd >= 0)
        (void)close(fd);
    return e;
}

enum err corpus_open(struct corpus **out,
                     const struct plan_documents *documents,
                     const struct corpus_watch *watch, struct why *why)
{
    enum err e = ERR_OK;
    *out = NULL;
    struct corpus *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(why, ERR_NOMEM, "corpus: out of memory");
    c->documents = documents;
    if (documents->index)
        c->action_len = (size_t)snprintf(
            c->action, sizeof c->action, "{\"%s\":{\"_index\":\"%s\"}}\n",
            documents->create ? "create" : "index", documents->index);
    if (documents->generator) {
        c->generator = generator_find(documents->generator);
        assert(c->generator); /* plan_parse made sure */
    } else {
        e = open_file(c, watch, why);
    }
    if (e) {
        corpus_close(c);
        return e;
    }
    *out = c;
    return ERR_OK;
}

void corpus_close(struct corpus *c)
{
    if (!c)
        return;
    if (c->map)
        (void)munmap((void *)(uintptr_t)c->map, c->map_len);
    free(c->offsets);
    free(c);
}

const char *corpus_bytes(const struct corpus *c, size_t *len)
{
    assert(!c->generator);
    *len = c->used_len;
    return c->map;
}

void corpus_seek(struct corpus_reader *r, const struct corpus *c, uint64_t at)
{
    assert(at < c->documents->docs);
    r->corpus = c;
    r->next = at;
    if (c->generator)
        return;
    r->offset = c->offsets[at / INDEX_STRIDE];
    for (uint64_t i = at / INDEX_STRIDE * INDEX_STRIDE; i < at; i++)
        r->offset = document_end(c, r->offset);
}

static void step(struct corpus_reader *r)
{
    if (++r->next == r->corpus->documents->docs) {
        r->next = 0;
        r->offset = 0;
    }
}

static size_t next_of_file(struct corpus_reader *r, char *buf, size_t room)
{
    const struct corpus *c = r->corpus;
    size_t end = document_end(c, r->offset), len = end - r->offset;
    bool cut = c->map[end - 1] != '\n'; /* the file's last line */
    if (c->action_len + len + cut > room)
        return 0;
    memcpy(buf, c->action, c->action_len);
    memcpy(buf + c->action_len, c->map + r->offset, len);
    if (cut)
        buf[c->action_len + len] = '\n';
    r->offset = end;
    step(r);
    return c->action_len + len + cut;
}

size_t corpus_next(struct corpus_reader *r, char *buf, size_t room)
{
    const struct corpus *c = r->corpus;
    if (!c->generator)
        return next_of_file(r, buf, room);
    if (c->action_len + c->generator->doc_max + 1 > room)
        return 0;
    memcpy(buf, c->action, c->action_len);
    char *at = buf + c->action_len;
    size_t len = c->generator->make(at, c->documents->seed, r->next);
    at[len] = '\n';
    step(r);
    return c->action_len + len + 1;
}

void corpus_slice(uint64_t docs, uint32_t n_clients, uint32_t client,
                  uint64_t *from, uint64_t *n)
{
    assert(n_clients && client < n_clients);
    double each = (double)docs / n_clients;
    *from = (uint64_t)nearbyint(each * client);
    *n = (uint64_t)nearbyint(each * (client + 1)) - *from;
}
