#include "target/shard_read.h"

#include <string.h>

#include "common/clock.h"
#include "target/shard_sql.h"

uint64_t shard_visible(const struct shard *s)
{
    return s->visible;
}

/* Every document, in the order of their numbers, scores 1. */
static enum err take_all(struct shard *s, struct top *top, struct why *why)
{
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_ALL);
    bool row = true;
    enum err e = ERR_OK;
    (void)sqlite3_bind_int64(stmt, 1, (sqlite3_int64)top->most);
    while (!e && row && top->most) {
        e = shard_step(s, stmt, &row, why);
        if (!e && row)
            top_offer(top,
                      (struct top_hit){.score = 1,
                                       .place = top->place,
                                       .n = sqlite3_column_int64(stmt, 0)});
    }
    (void)sqlite3_reset(stmt);
    return e;
}

static enum err take_matches(struct shard *s, const char *expr, struct top *top,
                             uint64_t *total, struct why *why)
{
    bool count = top->most == 0, row = true;
    sqlite3_stmt *stmt = shard_stmt(s, count ? SHARD_COUNT : SHARD_MATCH);
    enum err e = ERR_OK;
    (void)sqlite3_bind_text(stmt, 1, expr, -1, SQLITE_STATIC);
    while (!e && row) {
        e = shard_step(s, stmt, &row, why);
        if (e || !row)
            break;
        if (count) {
            *total += (uint64_t)sqlite3_column_int64(stmt, 0);
            continue;
        }
        ++*total;
        top_offer(top, (struct top_hit){.score = sqlite3_column_double(stmt, 1),
                                        .place = top->place,
                                        .n = sqlite3_column_int64(stmt, 0)});
    }
    (void)sqlite3_reset(stmt);
    return e;
}

enum err shard_search(struct shard *s, const char *expr, struct top *top,
                      uint64_t *total, struct why *why)
{
    uint64_t began_ns = clock_mono_ns();
    enum err e;
    if (expr) {
        e = take_matches(s, expr, top, total, why);
    } else {
        *total += s->visible;
        e = take_all(s, top, why);
    }
    atomic_fetch_add(&s->counts.search_count, 1);
    atomic_fetch_add(&s->counts.search_ns, clock_mono_ns() - began_ns);
    return e;
}

enum err shard_scroll(struct shard *s, const char *expr, int64_t after,
                      struct top *top, struct why *why)
{
    uint64_t began_ns = clock_mono_ns();
    sqlite3_stmt *stmt =
        shard_stmt(s, expr ? SHARD_MATCH_FROM : SHARD_ALL_FROM);
    bool row = true;
    enum err e = ERR_OK;
    (void)sqlite3_bind_int64(stmt, 1, after);
    (void)sqlite3_bind_int64(stmt, 2, (sqlite3_int64)(top->most - top->n));
    if (expr)
        (void)sqlite3_bind_text(stmt, 3, expr, -1, SQLITE_STATIC);
    while (!e && row && top->n < top->most) {
        e = shard_step(s, stmt, &row, why);
        if (!e && row)
            top_offer(top,
                      (struct top_hit){.place = top->place,
                                       .n = sqlite3_column_int64(stmt, 0)});
    }
    (void)sqlite3_reset(stmt);
    atomic_fetch_add(&s->counts.search_count, 1);
    atomic_fetch_add(&s->counts.search_ns, clock_mono_ns() - began_ns);
    return e;
}

enum err shard_fetch(struct shard *s, int64_t n, struct shard_doc *doc,
                     struct why *why)
{
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_FETCH);
    bool row;
    (void)sqlite3_reset(stmt);
    (void)sqlite3_bind_int64(stmt, 1, n);
    enum err e = shard_step(s, stmt, &row, why);
    if (e || !row)
        return e ? e : err_set(why, ERR_NOTFOUND, "no such document");
    doc->version = (uint64_t)sqlite3_column_int64(stmt, 1);
    doc->source = (struct batch_text){sqlite3_column_blob(stmt, 2),
                                      (size_t)sqlite3_column_bytes(stmt, 2)};
    doc->id = (struct batch_text){sqlite3_column_blob(stmt, 3),
                                  (size_t)sqlite3_column_bytes(stmt, 3)};
    if (!doc->id.p) {
        docid_make(s->config.seed, s->config.number, (uint64_t)n, doc->made_id);
        doc->id = (struct batch_text){doc->made_id, DOCID_MADE};
    }
    return doc->source.p
               ? ERR_OK
               : err_set(why, ERR_NOMEM, "the native limit is reached");
}

enum err shard_newest(struct shard *s, const char *id, int64_t n,
                      struct shard_doc *doc, struct why *why)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum err e = shard_ready(s, why);
    for (int by_n = 0; by_n <= (n > 0) && !e && !row; by_n++) {
        stmt = shard_stmt(s, by_n ? SHARD_BY_N : SHARD_BY_ID);
        (void)sqlite3_reset(stmt);
        if (by_n)
            (void)sqlite3_bind_int64(stmt, 1, n);
        else
            (void)sqlite3_bind_blob(stmt, 1, id, (int)strlen(id),
                                    SQLITE_STATIC);
        e = shard_step(s, stmt, &row, why);
        /* what has an id of its own is not found by its number */
        row = row && !(by_n && sqlite3_column_blob(stmt, 3));
    }
    if (e || !row)
        return e ? e : err_set(why, ERR_NOTFOUND, "no such document");
    doc->version = (uint64_t)sqlite3_column_int64(stmt, 1);
    doc->source = (struct batch_text){sqlite3_column_blob(stmt, 2),
                                      (size_t)sqlite3_column_bytes(stmt, 2)};
    return ERR_OK;
}

void shard_newest_done(struct shard *s)
{
    (void)sqlite3_reset(shard_stmt(s, SHARD_BY_ID));
    (void)sqlite3_reset(shard_stmt(s, SHARD_BY_N));
}
