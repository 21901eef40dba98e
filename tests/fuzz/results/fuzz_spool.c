/* A hostile spool into a store. The first byte says how the rest is taken: 0,
 * the bytes as they were collected; else pieces of streams {u8 stream, u16
 * little-endian length, bytes}, which get good frames, so that what lies behind
 * the checksums is reached. All in one transaction that is taken back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/spool.h"
#include "results/ingest.h"
#include "results/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct db *db;

static void must(enum err e, const struct why *why)
{
    if (!e)
        return;
    (void)fprintf(stderr, "%s\n", why->text);
    abort();
}

static void make_store(void)
{
    struct why why = {0};
    const struct db_options options = {.mode = DB_WRITE};
    must(db_open(&db, ":memory:", &options, &why), &why);
    must(schema_open(db, ":memory:", true, &why), &why);
    must(db_run(db, "pragma foreign_keys = off", DB_NONE, NULL, &why), &why);
    must(db_run(db, "insert into attempt (trial, n) values (1, 1)", DB_NONE,
                NULL, &why),
         &why);
}

/* Each piece of data framed as the executor does it; its length. */
static size_t frame(const uint8_t *data, size_t size, uint8_t *out)
{
    size_t at = 0;
    for (uint64_t seq = 0; size >= 3; seq++) {
        enum spool_stream stream =
            (enum spool_stream)(1 + data[0] % (SPOOL_STREAM_LAST - 1));
        size_t len = (size_t)data[1] | (size_t)data[2] << 8;
        if (len > size - 3)
            len = size - 3;
        spool_header_make(out + at, stream, seq, data + 3, (uint32_t)len);
        memcpy(out + at + SPOOL_HEADER_BYTES, data + 3, len);
        at += SPOOL_HEADER_BYTES + len;
        data += 3 + len;
        size -= 3 + len;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct why why = {0};
    struct ingest_summary summary = {0};
    if (!db)
        make_store();
    if (!size)
        return 0;
    uint8_t *spool = malloc(SPOOL_HEADER_BYTES * size + size);
    if (!spool)
        return 0;
    size_t len = size - 1;
    if (data[0])
        len = frame(data + 1, size - 1, spool);
    else
        memcpy(spool, data + 1, len);
    must(db_begin(db, true, &why), &why);
    /* As one agent's, or as a target's and two loads'. */
    struct store_part parts[3] = {{.agent = "a", .role = "target"},
                                  {.agent = "b", .role = "load"},
                                  {.agent = "c", .role = "load"}};
    size_t n_parts = data[0] & 4 ? 3 : 1;
    if (n_parts == 1)
        parts[0].role = "both";
    for (size_t i = 0; i < n_parts; i++) {
        parts[i].spool = spool;
        parts[i].spool_len = len;
    }
    const struct store_result result = {
        .outcome = (enum attempt_outcome)(1 + data[0] % 4),
        .parts = parts,
        .n_parts = n_parts};
    enum err e = ingest_parts(db, 1, &result, &summary, &why);
    /* Frames that are good are stored whatever they hold. */
    if (e && (data[0] || e != ERR_CORRUPT))
        must(e, &why);
    if (db_end(db, ERR_INTERRUPTED, &why) != ERR_INTERRUPTED)
        abort();
    free(spool);
    return 0;
}
