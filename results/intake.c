#include "results/intake.h"

#include <stdlib.h>
#include <string.h>

static const enum spool_stream recorded[] = {SPOOL_LOAD, SPOOL_WATCH_TARGET,
                                             SPOOL_WATCH_LOAD};

#define RECORDED (sizeof recorded / sizeof *recorded)

/* Walk the frames; each payload is counted for its stream, and copied behind
 * `to` of that stream where there is one. */
static enum err frames(const uint8_t *spool, size_t len, uint8_t **to,
                       size_t lens[SPOOL_STREAM_LAST], struct why *why)
{
    size_t at = 0;
    for (uint64_t seq = 0; at < len; seq++) {
        struct spool_header h;
        const uint8_t *payload = NULL;
        enum err e =
            spool_record_read(spool + at, len - at, seq, &h, &payload, why);
        if (e == ERR_AGAIN)
            return err_wrap(why, ERR_CORRUPT, "end of the spool");
        if (e)
            return e;
        if (to)
            memcpy(to[h.stream] + lens[h.stream], payload, h.len);
        lens[h.stream] += h.len;
        at += SPOOL_HEADER_BYTES + h.len;
    }
    return ERR_OK;
}

enum err intake_open(struct intake *out, const uint8_t *spool, size_t len,
                     struct why *why)
{
    size_t lens[SPOOL_STREAM_LAST] = {0};
    uint8_t *to[SPOOL_STREAM_LAST];
    *out = (struct intake){.bytes = NULL};
    enum err e = frames(spool, len, NULL, lens, why);
    if (e)
        return e;
    uint8_t *bytes = malloc(len + 1);
    if (!bytes)
        return err_set(why, ERR_NOMEM, "spool of %zu bytes", len);
    size_t at = 0;
    for (size_t s = 0; s < SPOOL_STREAM_LAST; s++) {
        to[s] = bytes + at;
        out->streams[s] = (struct wire_blob){to[s], lens[s]};
        at += lens[s];
        lens[s] = 0;
    }
    out->bytes = bytes;
    return frames(spool, len, to, lens, why);
}

void intake_close(struct intake *intake)
{
    free(intake->bytes);
    *intake = (struct intake){.bytes = NULL};
}

static void damaged(struct intake_walk *walk, const struct why *why)
{
    if (!walk->damaged)
        walk->damage = *why;
    walk->damaged++;
}

/* The length before the record at `at`: false ends the stream. */
static bool frame(struct intake_walk *walk, const struct wire_blob *stream,
                  size_t *len)
{
    struct why why;
    size_t left = stream->len - walk->at;
    const uint8_t *p = stream->data + walk->at;
    if (left >= 4) {
        *len = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 |
               (size_t)p[3] << 24;
        if (*len <= INTAKE_RECORD_MAX && *len <= left - 4)
            return true;
    }
    (void)err_set(&why, ERR_CORRUPT,
                  "stream %s: cut short or a wrong length "
                  "at byte %zu",
                  spool_stream_name(recorded[walk->stream]), walk->at);
    if (!walk->others)
        damaged(walk, &why);
    return false;
}

static bool wanted(const struct intake_walk *walk, enum record_kind kind)
{
    return !walk->wants || walk->wants(kind) != walk->others;
}

bool intake_next(struct intake_walk *walk, struct record *out)
{
    while (walk->stream < RECORDED) {
        const struct wire_blob *stream =
            &walk->intake->streams[recorded[walk->stream]];
        size_t len = 0;
        if (walk->at == stream->len || !frame(walk, stream, &len)) {
            walk->stream++;
            walk->at = 0;
            continue;
        }
        struct why why = {0};
        const uint8_t *map = stream->data + walk->at + 4;
        walk->at += 4 + len;
        enum record_kind kind;
        bool named = record_peek(map, len, &kind);
        if (named && !wanted(walk, kind))
            continue;
        enum err e = record_decode(map, len, out, &why);
        if (!e && wanted(walk, out->kind))
            return true;
        if (!e || (walk->others && !named))
            continue;
        if (e == ERR_NOTFOUND)
            walk->unknown++;
        else
            damaged(walk, &why);
    }
    return false;
}
