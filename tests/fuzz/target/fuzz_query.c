/* Bodies that strangers send to the index: a search, a creation, and a document
 * with its partial update. What parses must stand SQLite's parser too. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "target/bulk_json.h"
#include "target/creation.h"
#include "target/flatten.h"
#include "target/merge.h"
#include "target/query.h"
#include "target/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mapping[] =
    "{\"properties\":{\"name\":{\"type\":\"text\",\"fields\":{\"raw\":{\"type\""
    ":\"keyword\"}}},\"code\":{\"type\":\"keyword\"}}}";

static struct fields *make_fields(const char *text, size_t len)
{
    char path[] = "/tmp/pitwall-fuzz-XXXXXX";
    struct fields *f = NULL;
    struct jv *v = NULL;
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    (void)close(fd);
    (void)unlink(path);
    if (!jv_parse(&v, "mapping", text, len, NULL) &&
        fields_create(&f, path, v, NULL))
        f = NULL;
    (void)unlink(path);
    jv_free(v);
    return f;
}

static void match(const char *expr)
{
    static sqlite3_stmt *stmt;
    if (!stmt) {
        sqlite3 *db;
        if (sqlite3_open(":memory:", &db) || tokenizer_register(db) ||
            sqlite3_exec(db,
                         "create virtual table f using fts5(t, content='', "
                         "tokenize='pitwall')",
                         NULL, NULL, NULL) ||
            sqlite3_prepare_v2(db, "select rowid from f where f match ?1", -1,
                               &stmt, NULL))
            abort();
    }
    (void)sqlite3_bind_text(stmt, 1, expr, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE)
        abort();
    (void)sqlite3_reset(stmt);
}

static bool is_document(const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    struct bulk_cursor c = {p, p + len, p + len};
    return bulk_json_document(&c) == BULK_JSON_OK;
}

/* The document flattened, and laid over itself: nothing changes but what is
 * said twice. */
static void document(struct fields *fields, const char *text, size_t len)
{
    size_t n;
    bool changed;
    char *to = malloc(FLATTEN_ROOM(len) + MERGE_ROOM(len, len));
    if (!to)
        abort();
    if (!flatten(fields, text, len, to, &n, NULL) && n > FLATTEN_ROOM(len))
        abort();
    n = merge_objects(text, len, text, len, to, &changed);
    if (n > MERGE_ROOM(len, len) || !is_document(to, n))
        abort();
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fields *fields;
    const char *text = (const char *)data;
    struct query q;
    struct creation c;
    if (!fields)
        fields = make_fields(mapping, sizeof mapping - 1);
    if (!query_parse(&q, fields, text, size, NULL)) {
        if (q.kind == QUERY_EXPR)
            match(q.expr);
        query_free(&q);
    }
    if (!creation_parse(&c, text, size, 5, NULL))
        creation_free(&c);
    if (is_document(text, size)) {
        struct fields *own = make_fields(text, size);
        if (own)
            document(own, text, size);
        fields_free(own);
    }
    return 0;
}
