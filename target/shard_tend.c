/* What a shard does besides its bulks: merging, refresh, flush. Each is timed
 * for what it is: FTS5's merging is asked for here, never done on the side
 * (automerge 0). */
#include "target/shard_tend.h"

#include "common/clock.h"
#include "target/shard_sql.h"

#define MERGE_AT    16u   /* segments of a level: schema's usermerge */
#define STEP_PAGES  1000  /* written by one step of merging */
#define LOG_PAGES   16384 /* of 4 KiB, before a checkpoint */
#define MERGE_STEPS 1000000u

/* A varint of SQLite's: big-endian groups of 7 bits, at most 9 bytes. */
static size_t varint(const uint8_t *p, size_t len, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < len && i < 9; i++) {
        if (i == 8) {
            *value = *value << 8 | p[i];
            return 9;
        }
        *value = *value << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80)
            return i + 1;
    }
    return 0;
}

/* FTS5's structure record: a cookie of four bytes, then varints: levels,
 * segments, a counter; for each level those being merged, and its segments with
 * three varints each. */
static bool read_structure(const uint8_t *p, size_t len, uint64_t *segments,
                           unsigned *busiest)
{
    uint64_t levels, count, skipped, merging;
    size_t at = 4, n = 0;
    *busiest = 0;
    if (len < 4 || !(n = varint(p + at, len - at, &levels)))
        return false;
    at += n;
    if (!(n = varint(p + at, len - at, segments)))
        return false;
    at += n;
    if (!(n = varint(p + at, len - at, &skipped)))
        return false;
    at += n;
    for (uint64_t level = 0; level < levels; level++) {
        if (!(n = varint(p + at, len - at, &merging)))
            return false;
        at += n;
        if (!(n = varint(p + at, len - at, &count)))
            return false;
        at += n;
        unsigned busy = merging ? MERGE_AT : (unsigned)count;
        *busiest = busy > *busiest ? busy : *busiest;
        for (uint64_t i = 0; i < 3 * count; i++) {
            if (!(n = varint(p + at, len - at, &skipped)))
                return false;
            at += n;
        }
    }
    return true;
}

enum err shard_segments(struct shard *s, unsigned *busiest, struct why *why)
{
    uint64_t segments = 0;
    bool row;
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_SEGMENTS);
    enum err e = shard_step(s, stmt, &row, why);
    if (!e && row &&
        !read_structure(sqlite3_column_blob(stmt, 0),
                        (size_t)sqlite3_column_bytes(stmt, 0), &segments,
                        busiest))
        e = err_set(why, ERR_CORRUPT, "%s: FTS5's structure record", s->path);
    (void)sqlite3_reset(stmt);
    if (!e)
        atomic_store(&s->counts.segments, segments);
    return e;
}

static enum err merge_step(struct shard *s, struct why *why)
{
    return shard_run(s, SHARD_MERGE, why);
}

/* One step of merging; pages below 0: towards a single segment. */
static enum err merge(struct shard *s, int pages, unsigned *busiest,
                      struct why *why)
{
    uint64_t began_ns = clock_mono_ns();
    atomic_fetch_add(&s->counts.merging, 1);
    (void)sqlite3_bind_int(shard_stmt(s, SHARD_MERGE), 1, pages);
    enum err e = shard_transact(s, merge_step, why);
    atomic_fetch_sub(&s->counts.merging, 1);
    atomic_fetch_add(&s->counts.merge_count, 1);
    atomic_fetch_add(&s->counts.merge_ns, clock_mono_ns() - began_ns);
    return e ? e : shard_segments(s, busiest, why);
}

static enum err set_usermerge(struct shard *s, struct why *why)
{
    return shard_run(s, SHARD_USERMERGE, why);
}

static enum err usermerge(struct shard *s, unsigned segments, struct why *why)
{
    (void)sqlite3_bind_int(shard_stmt(s, SHARD_USERMERGE), 1, (int)segments);
    return shard_transact(s, set_usermerge, why);
}

enum err shard_merge(struct shard *s, unsigned max_segments, struct why *why)
{
    unsigned busiest;
    bool one = max_segments <= 1;
    enum err e = shard_ready(s, why);
    if (!e)
        e = shard_segments(s, &busiest, why);
    if (!e && !one)
        e = usermerge(s, 2, why);
    for (unsigned i = 0; i < MERGE_STEPS && !e; i++) {
        if (atomic_load(&s->counts.segments) <= (one ? 1 : max_segments))
            break;
        int before = sqlite3_total_changes(s->writer);
        e = merge(s, one ? -STEP_PAGES : STEP_PAGES, &busiest, why);
        /* Less than two changes: FTS5 found nothing to merge. */
        if (!e && sqlite3_total_changes(s->writer) - before < 2)
            break;
    }
    enum err back = one ? ERR_OK : usermerge(s, MERGE_AT, NULL);
    return e ? e : back;
}

/* Give the snapshot up; a statement that is not reset would hold it. */
static void unpin(struct shard *s)
{
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_UNPIN);
    (void)sqlite3_reset(shard_stmt(s, SHARD_FETCH));
    if (s->pinned)
        (void)sqlite3_step(stmt);
    (void)sqlite3_reset(stmt);
    s->pinned = false;
}

static enum err pin(struct shard *s, struct why *why)
{
    bool row;
    sqlite3_stmt *look = shard_stmt(s, SHARD_LOOK);
    unpin(s);
    enum err e = shard_run(s, SHARD_PIN, why);
    if (e)
        return e;
    s->pinned = true;
    e = shard_step(s, look, &row, why);
    if (!e)
        s->visible = (uint64_t)sqlite3_column_int64(look, 0);
    (void)sqlite3_reset(look);
    return e;
}

enum err shard_refresh(struct shard *s, struct why *why)
{
    uint64_t began_ns = clock_mono_ns();
    enum err e = pin(s, why);
    atomic_fetch_add(&s->counts.refresh_count, 1);
    atomic_fetch_add(&s->counts.refresh_ns, clock_mono_ns() - began_ns);
    return e;
}

static enum err checkpoint(struct shard *s, int mode, struct why *why)
{
    int log = 0, done = 0;
    uint64_t began_ns = clock_mono_ns();
    int rc = sqlite3_wal_checkpoint_v2(s->writer, NULL, mode, &log, &done);
    if (!rc)
        s->log_pages = log - done;
    atomic_fetch_add(&s->counts.flush_count, 1);
    atomic_fetch_add(&s->counts.flush_ns, clock_mono_ns() - began_ns);
    return rc ? shard_error(s, s->writer, rc, why) : ERR_OK;
}

/* The snapshot would hold the log: it is moved, as Lucene's commit moves its
 * readers'. */
enum err shard_flush(struct shard *s, struct why *why)
{
    enum err e = shard_ready(s, why);
    if (e)
        return e;
    unpin(s);
    e = checkpoint(s, SQLITE_CHECKPOINT_TRUNCATE, why);
    enum err pinned = pin(s, e ? NULL : why);
    return e ? e : pinned;
}

void shard_tend(struct shard *s)
{
    unsigned busiest = 0;
    struct why why = {0};
    enum err e = shard_ready(s, &why);
    if (!e)
        e = shard_segments(s, &busiest, &why);
    if (!e && busiest >= MERGE_AT)
        e = merge(s, STEP_PAGES, &busiest, &why);
    if (!e && s->log_pages > LOG_PAGES)
        (void)checkpoint(s, SQLITE_CHECKPOINT_PASSIVE, &why);
}
