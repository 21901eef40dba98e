#include "tests/unit/target/shelf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/flatten.h"
#include "target/native.h"
#include "target/search.h"
#include "target/shard_sql.h"
#include "tests/lib/check.h"

static void begin(struct shelf *s, uint32_t shards)
{
    struct why why = {0};
    struct indices_config c = {s->folder, "/tmp", shards, 2, NULL};
    check_ok(indices_open(&s->all, &c, &why), why);
}

void shelf_open(struct shelf *s, uint32_t shards)
{
    struct why why = {0};
    check_ok(native_open(0, &why), why);
    *s = (struct shelf){.native_bytes = native_used_bytes()};
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/pitwall-shelf-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    begin(s, shards);
}

void shelf_reopen(struct shelf *s, uint32_t shards)
{
    indices_close(s->all);
    assert_int_equal(native_used_bytes(), s->native_bytes);
    begin(s, shards);
}

void shelf_close(struct shelf *s)
{
    char path[128];
    size_t n;
    struct index **list = indices_all(s->all, &n);
    struct why why = {0};
    for (size_t i = 0; i < n; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%s", list[i]->name);
        indices_put(list[i]);
        check_ok(indices_drop(s->all, name, &why), why);
    }
    free(list);
    indices_close(s->all);
    assert_int_equal(native_used_bytes(), s->native_bytes);
    (void)snprintf(path, sizeof path, "%s/lock", s->folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/indices", s->folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(s->folder), 0);
}

static enum err add(struct batch *b, struct index *x, const char *text)
{
    static const char kinds[] = "icud";
    struct why why = {0};
    char json[256];
    const char *colon = strchr(text, ':');
    struct batch_op *op = batch_add(b);
    if (!op)
        return ERR_NOMEM;
    op->kind = (enum bulk_op)(strchr(kinds, text[0]) - kinds);
    op->index = x;
    op->id_len = (size_t)(colon - text) - 1;
    op->key = batch_copy(b, text + 1, op->id_len);
    op->id = op->key.p;
    int len = snprintf(json, sizeof json, "{\"t\":\"%s\"}", colon + 1);
    op->source = batch_copy(b, json, (size_t)len);
    char *to = batch_room(b, FLATTEN_ROOM((size_t)len));
    if (!op->key.p || !op->source.p || !to)
        return ERR_NOMEM;
    if (op->kind == BULK_INDEX || op->kind == BULK_CREATE) {
        size_t n;
        check_ok(flatten(x->fields, op->source.p, op->source.len, to, &n, &why),
                 why);
        batch_take(b, n);
        op->text = (struct batch_text){to, n};
    }
    return ERR_OK;
}

static void write_ends(const struct batch *b, char *ends, size_t size)
{
    size_t n = 0;
    ends[0] = '\0';
    for (size_t i = 0; i < b->n && n < size; i++)
        n += (size_t)snprintf(
            ends + n, size - n, "%s%u %s %llu", i ? ", " : "", b->ops[i].status,
            b->ops[i].error.type ? b->ops[i].error.type : b->ops[i].result,
            (unsigned long long)b->ops[i].version);
}

enum err shelf_bulk(struct shelf *s, const char *const *ops, size_t n,
                    char *ends, size_t size)
{
    struct batch b = {0};
    struct index *x = NULL;
    struct why why = {0};
    bool new = false;
    enum err e = indices_need(s->all, "geo", &x, &why);
    if (!e && !batch_hold(&b, x, &new))
        e = ERR_NOMEM;
    for (size_t i = 0; i < n && !e; i++)
        e = add(&b, x, ops[i]);
    if (!e)
        e = commit_batch(s->all, &b, &why);
    if (e && ends)
        print_message("%s\n", why.text);
    if (!e && ends)
        write_ends(&b, ends, size);
    indices_put(x);
    batch_clear(&b);
    return e;
}

uint64_t shelf_count(struct shelf *s, const char *query)
{
    char body[256], *text = NULL;
    size_t len = 0;
    struct why why = {0};
    struct index *x = indices_get(s->all, "geo");
    assert_non_null(x);
    check_ok(index_refresh(x, &why), why);
    FILE *out = open_memstream(&text, &len);
    (void)snprintf(body, sizeof body, "{\"query\":%s}", query ? query : "");
    struct search search = {
        .list = &x, .n = 1, .body = body, .body_len = query ? strlen(body) : 0};
    check_ok(search_count(&search, out, &why), why);
    (void)fclose(out);
    uint64_t count = strtoull(text + strlen("{\"count\":"), NULL, 10);
    free(text);
    indices_put(x);
    return count;
}

static void check_shard(struct shard *shard)
{
    static const char *const checks[] = {
        "insert into fts(fts) values ('integrity-check')",
        "select 1 / (select count(*) = (select docs from state) from doc)",
        "select 1 / (select count(*) = 1 from pragma_integrity_check "
        "where integrity_check = 'ok')"};
    struct why why = {0};
    /* What a failure left stale would be written by the first check. */
    check_ok(shard_ready(shard, &why), why);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        sqlite3_stmt *stmt = NULL;
        assert_int_equal(
            sqlite3_prepare_v2(shard->writer, checks[i], -1, &stmt, NULL), 0);
        int rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
            assert_int_equal(sqlite3_column_int(stmt, 0), 1);
        else
            assert_int_equal(rc, SQLITE_DONE);
        (void)sqlite3_finalize(stmt);
    }
}

void shelf_check(struct shelf *s)
{
    struct index *x = indices_get(s->all, "geo");
    assert_non_null(x);
    for (uint32_t i = 0; i < x->n_shards; i++)
        check_shard(x->shards[i]);
    indices_put(x);
}
