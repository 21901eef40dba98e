/* What an agent has of an attempt, taken piece by piece. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc.h"
#include "controller/bench.h"

#define RECOLLECT_MAX 2u

void seat_collect_again(struct bench *b, struct seat *s, uint64_t now_ns,
                        const char *text)
{
    if (s->recollected++ < RECOLLECT_MAX) {
        seat_enter(b, s, SEAT_COLLECT, now_ns);
        return;
    }
    char full[sizeof b->text];
    (void)snprintf(full, sizeof full, "results cannot be collected: %.400s",
                   text);
    b->text[0] = '\0';
    seat_void(b, s, OUTCOME_FAILED, full);
}

/* Room for the whole spool, once its size is known. */
static bool make_room(struct seat *s, uint64_t total)
{
    if (total <= s->spool_size)
        return true;
    uint8_t *room = total <= SEAT_SPOOL_MAX ? realloc(s->spool, total) : NULL;
    if (!room)
        return false;
    s->spool = room;
    s->spool_size = total;
    return true;
}

void seat_take_chunk(struct bench *b, struct seat *s,
                     const struct bench_event *ev)
{
    const struct msg_chunk *c = ev->chunk;
    uint64_t total = s->status.spool_bytes;
    if (c->offset != s->spool_len || c->total != total ||
        c->data.len > total - s->spool_len || (!c->data.len && total)) {
        seat_collect_again(b, s, ev->now_ns,
                           "a piece of the spool does not "
                           "fit");
        return;
    }
    if (!make_room(s, total)) {
        seat_void(b, s, OUTCOME_FAILED, "the results are too large to collect");
        return;
    }
    if (c->data.len)
        memcpy(s->spool + s->spool_len, c->data.data, c->data.len);
    s->spool_crc = crc32c(s->spool_crc, c->data.data, c->data.len);
    s->spool_len += c->data.len;
    if (s->spool_len < total)
        return;
    if (s->spool_crc != s->status.spool_crc) {
        seat_collect_again(b, s, ev->now_ns, "the spool's checksum differs");
        return;
    }
    s->collected = true;
    s->phase = SEAT_REST;
}
