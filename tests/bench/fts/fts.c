/* One shard on one core against a bare FTS5 insert loop: see usage. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/rand.h"
#include "target/bulk_json.h"
#include "target/commit.h"
#include "target/flatten.h"
#include "target/native.h"

#define ROUNDS_MAX  50u
#define FOREIGN_MAX 0.35
#define WORDS       30000u

static const char usage[] =
    "usage: fts [ROUNDS]\n\n"
    "One shard on one core against a bare FTS5 insert loop, in turns:\n"
    "documents of some 250 bytes with 12 fields, 1000 a bulk, and of 30 KB\n"
    "of text, 500 a bulk. The shard's side is all that a bulk thread does\n"
    "but HTTP: JSON checked, flattened, ids found, committed; the bare side\n"
    "inserts the same values as text into an FTS5 table with its defaults,\n"
    "a transaction a bulk, same journal. Figures are per second of CPU time,\n"
    "since a shard's work is one thread's. Rounds (5) with more than 0.35\n"
    "cores of others' work are dropped; when none is left all are taken, and\n"
    "gated=0 says so.\n\n"
    "  fts_docs_s    small documents a second; goal 40,000\n"
    "  fts_mb_s      MB of text a second; goal 26\n"
    "  vs_bare, vs_bare_text\n"
    "                ratios to the bare loop, which tell a slow machine\n"
    "                from a slow shard: most of the time goes to FTS5's\n"
    "                hash of terms and the caches that it does not fit\n";

struct doc {
    char *json, *values;
    size_t json_len, values_len;
};

struct corpus {
    const char *name;
    struct doc *docs;
    size_t n, per_bulk, bytes;
};

static void die(const char *what)
{
    (void)fprintf(stderr, "fts: %s\n", what);
    exit(1);
}

/* A word of 3 to 10 letters; low numbers are frequent, as in a language. */
static size_t word(struct rand *r, char *to)
{
    double u = rand_unit(r);
    uint64_t n = (uint64_t)(u * u * u * WORDS);
    struct rand of_word = {n};
    size_t len = 3 + rand_bounded(&of_word, 8);
    for (size_t i = 0; i < len; i++)
        to[i] = (char)('a' + rand_bounded(&of_word, 26));
    return len;
}

static size_t text(struct rand *r, char *to, size_t bytes)
{
    size_t n = 0;
    while (n < bytes) {
        if (n)
            to[n++] = ' ';
        n += word(r, to + n);
    }
    to[n] = '\0';
    return n;
}

/* A place: four short texts, four codes, four numbers. */
static void make_place(struct rand *r, struct doc *d)
{
    static const char *const names[] = {"name",    "asciiname", "alternate",
                                        "comment", "class",     "code",
                                        "country", "zone"};
    char json[1024], values[1024], value[256];
    size_t j = 0, v = 0;
    for (size_t i = 0; i < 8; i++) {
        (void)text(r, value, i < 4 ? 14 : 2);
        j += (size_t)snprintf(json + j, sizeof json - j, "%s\"%s\":\"%s\"",
                              i ? "," : "{", names[i], value);
        v += (size_t)snprintf(values + v, sizeof values - v, "%s ", value);
    }
    for (size_t i = 0; i < 4; i++) {
        unsigned number = (unsigned)rand_bounded(r, 1000000);
        j += (size_t)snprintf(json + j, sizeof json - j, ",\"n%zu\":%u", i,
                              number);
        v += (size_t)snprintf(values + v, sizeof values - v, "%u ", number);
    }
    (void)snprintf(json + j, sizeof json - j, "}");
    *d = (struct doc){strdup(json), strdup(values), j + 1, v};
}

static void make_article(struct rand *r, struct doc *d)
{
    char *json = malloc(31000), *values = malloc(31000);
    if (!json || !values)
        die("no memory");
    size_t v = text(r, values, 30000);
    size_t j = (size_t)sprintf(json, "{\"body\":\"%s\"}", values);
    *d = (struct doc){json, values, j, v};
}

static struct corpus make(const char *name, size_t n, size_t per_bulk,
                          void (*one)(struct rand *r, struct doc *d))
{
    struct corpus c = {name, calloc(n, sizeof *c.docs), n, per_bulk, 0};
    struct rand r = {1};
    for (size_t i = 0; c.docs && i < n; i++) {
        one(&r, &c.docs[i]);
        c.bytes += c.docs[i].json_len;
    }
    return c;
}

static void bulk(struct indices *all, struct index *x, const struct corpus *c,
                 size_t from)
{
    struct batch b = {0};
    struct why why = {0};
    bool new;
    (void)batch_hold(&b, x, &new);
    for (size_t i = from; i < from + c->per_bulk; i++) {
        const struct doc *d = &c->docs[i];
        const uint8_t *p = (const uint8_t *)d->json;
        struct bulk_cursor cursor = {p, p + d->json_len, p + d->json_len};
        struct batch_op *op = batch_add(&b);
        char *to;
        size_t n;
        op->kind = BULK_INDEX;
        op->index = x;
        op->source = batch_copy(&b, d->json, d->json_len);
        to = batch_room(&b, FLATTEN_ROOM(d->json_len));
        if (bulk_json_document(&cursor) ||
            flatten(x->fields, d->json, d->json_len, to, &n, &why))
            die("a document is refused");
        batch_take(&b, n);
        op->text = (struct batch_text){to, n};
    }
    if (commit_batch(all, &b, &why))
        die(why.text);
    batch_clear(&b);
}

static uint64_t run_shard(const struct corpus *c)
{
    struct indices *all;
    struct index *x;
    struct why why = {0};
    struct indices_config config = {"", "/tmp", 1, 0, NULL};
    if (indices_open(&all, &config, &why) ||
        indices_need(all, "bench", &x, &why))
        die(why.text);
    uint64_t began_ns = clock_process_cpu_ns();
    for (size_t i = 0; i < c->n; i += c->per_bulk)
        bulk(all, x, c, i);
    uint64_t took_ns = clock_process_cpu_ns() - began_ns;
    indices_put(x);
    indices_close(all);
    return took_ns;
}

static void sql(sqlite3 *db, const char *text_of)
{
    if (sqlite3_exec(db, text_of, NULL, NULL, NULL))
        die(sqlite3_errmsg(db));
}

static uint64_t run_bare(const struct corpus *c)
{
    char path[] = "/tmp/pitwall-bare-XXXXXX", other[64];
    sqlite3 *db;
    sqlite3_stmt *add;
    (void)close(mkstemp(path));
    if (sqlite3_open(path, &db))
        die(sqlite3_errmsg(db));
    sql(db, "pragma journal_mode = wal; pragma synchronous = normal;"
            "create virtual table f using fts5(t, tokenize = 'ascii')");
    if (sqlite3_prepare_v2(db, "insert into f values (?1)", -1, &add, NULL))
        die(sqlite3_errmsg(db));
    uint64_t began_ns = clock_process_cpu_ns();
    for (size_t i = 0; i < c->n; i++) {
        const struct doc *d = &c->docs[i];
        if (i % c->per_bulk == 0)
            sql(db, "begin");
        (void)sqlite3_bind_text(add, 1, d->values, (int)d->values_len,
                                SQLITE_STATIC);
        if (sqlite3_step(add) != SQLITE_DONE)
            die(sqlite3_errmsg(db));
        (void)sqlite3_reset(add);
        if ((i + 1) % c->per_bulk == 0)
            sql(db, "commit");
    }
    uint64_t took_ns = clock_process_cpu_ns() - began_ns;
    (void)sqlite3_finalize(add);
    (void)sqlite3_close(db);
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(other, sizeof other, "%s%s", path, ends[i]);
        (void)unlink(other);
    }
    return took_ns;
}

/* Seconds that all CPUs worked. */
static double busy_s(void)
{
    unsigned long long t[8] = {0};
    FILE *f = fopen("/proc/stat", "re");
    if (!f || fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0],
                     &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
        die("/proc/stat");
    (void)fclose(f);
    return (double)(t[0] + t[1] + t[2] + t[5] + t[6] + t[7]) /
           (double)sysconf(_SC_CLK_TCK);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Per second: the shard's, and its ratio to the bare loop of the same round. */
struct figures {
    double shard, ratio;
    bool gated;
};

static struct figures measure(const struct corpus *c, size_t rounds, double per)
{
    double shard[2][ROUNDS_MAX], ratio[2][ROUNDS_MAX];
    size_t n[2] = {0, 0};
    for (size_t i = 0; i < rounds; i++) {
        double busy = busy_s(), own = (double)clock_process_cpu_ns();
        uint64_t began_ns = clock_mono_ns();
        double bare_ns = (double)run_bare(c), ours_ns = (double)run_shard(c);
        double foreign =
            (busy_s() - busy) - ((double)clock_process_cpu_ns() - own) / 1e9;
        foreign /= (double)(clock_mono_ns() - began_ns) / 1e9;
        bool quiet = foreign <= FOREIGN_MAX;
        (void)printf("%s round %zu: shard %.0f, bare %.0f a second, %.2f cores "
                     "of others%s\n",
                     c->name, i + 1, per * 1e9 / ours_ns, per * 1e9 / bare_ns,
                     foreign, quiet ? "" : ", dropped");
        for (size_t k = quiet ? 0 : 1; k < 2; k++) {
            shard[k][n[k]] = per * 1e9 / ours_ns;
            ratio[k][n[k]++] = bare_ns / ours_ns;
        }
    }
    size_t k = n[0] ? 0 : 1;
    return (struct figures){median(shard[k], n[k]), median(ratio[k], n[k]),
                            k == 0};
}

int main(int argc, char **argv)
{
    struct why why = {0};
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    if (argc > 1 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) < 0;
    if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX)
        die("ROUNDS is a number from 1 to 50; --help tells more");
    if (native_open(0, &why))
        die(why.text);
    struct corpus places = make("places", 40000, 1000, make_place);
    struct corpus articles = make("articles", 2000, 500, make_article);
    (void)printf("places: %zu bytes each; articles: %zu\n",
                 places.bytes / places.n, articles.bytes / articles.n);
    struct figures p = measure(&places, rounds, (double)places.n);
    struct figures a = measure(&articles, rounds, (double)articles.bytes / 1e6);
    (void)printf("fts fts_docs_s=%.0f fts_mb_s=%.1f vs_bare=%.2f "
                 "vs_bare_text=%.2f gated=%d\n",
                 p.shard, a.shard, p.ratio, a.ratio, p.gated && a.gated);
    return 0;
}
