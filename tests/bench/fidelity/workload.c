#include "tests/bench/fidelity/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/fidelity/driver.h"

#define ACTION    "{\"index\":{\"_index\":\"f\"}}\n" /* the load's own */
#define OPEN      "{\"t\":\""
#define CLOSE     "\"}\n"
#define AROUND    (sizeof ACTION OPEN CLOSE - 1)
#define SHORT_END 100u /* a last line below that goes to the one before */

/* One body's documents; with their actions they are as long as the lines. */
static void put_body(FILE *f, const struct driver *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t bytes = d->lines[i] + 1u;
        if (i == n - 1 && n < d->n_lines)
            bytes += d->lines[n] + 1u;
        (void)fputs(OPEN, f);
        for (size_t k = AROUND; k < bytes; k++)
            (void)putc('x', f);
        (void)fputs(CLOSE, f);
    }
}

static enum err close_file(FILE *f, const char *path, struct why *why)
{
    bool bad = ferror(f) != 0;
    bad = fclose(f) != 0 || bad;
    return bad ? err_errno(why, errno, "write %s", path) : ERR_OK;
}

/* A body for each client; they send theirs again and again. */
static enum err write_corpus(const char *path, const struct driver *d, size_t n,
                             uint64_t clients, struct why *why)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return err_errno(why, errno, "write %s", path);
    for (uint64_t i = 0; i < clients; i++)
        put_body(f, d, n);
    return close_file(f, path, why);
}

static enum err write_track(const char *path, const char *corpus, size_t n,
                            uint64_t clients, struct why *why)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return err_errno(why, errno, "write %s", path);
    (void)fprintf(
        f,
        "{\"version\": 2, \"indices\": [{\"name\": \"f\"}],\n"
        " \"corpora\": [{\"name\": \"bodies\", \"documents\": [\n"
        "   {\"source-file\": \"%s\", \"document-count\": %" PRIu64
        ", \"target-index\": \"f\"}]}],\n"
        " \"challenges\": [{\"name\": \"post\", \"default\": true, "
        "\"schedule\": [\n"
        "   {\"name\": \"post\", \"clients\": %" PRIu64 ",\n"
        "    \"warmup-time-period\": 1, \"time-period\": 10, \"operation\":\n"
        "      {\"operation-type\": \"bulk\", \"bulk-size\": %zu,\n"
        "       \"looped\": true}}]}]}\n",
        corpus, n * clients, clients, n);
    return close_file(f, path, why);
}

static enum err write_both(const char *path, const char *corpus,
                           const struct row *row, struct why *why)
{
    struct driver d;
    enum err e = driver_make(&d, row->body_bytes, 0, 0, why);
    if (e)
        return e;
    size_t n = d.n_lines;
    if (n > 1 && d.lines[n - 1] < SHORT_END)
        n--;
    e = write_corpus(corpus, &d, n, row->connections, why);
    if (!e)
        e = write_track(path, corpus, n, row->connections, why);
    driver_free(&d);
    return e;
}

enum err workload_make(const char *folder, const struct row *row, char *path,
                       size_t size, struct why *why)
{
    char corpus[4096];
    int n = snprintf(path, size, "%s/track-%" PRIu64 "-%" PRIu64 ".json",
                     folder, row->body_bytes, row->connections);
    int m = snprintf(corpus, sizeof corpus,
                     "%s/bodies-%" PRIu64 "-%" PRIu64 ".json", folder,
                     row->body_bytes, row->connections);
    if (n < 0 || (size_t)n >= size || m < 0 || (size_t)m >= sizeof corpus)
        return err_set(why, ERR_RANGE, "folder \"%.60s...\" is too long",
                       folder);
    return access(path, F_OK) ? write_both(path, corpus, row, why) : ERR_OK;
}
