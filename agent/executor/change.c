#include "agent/executor/change.h"

#include <assert.h>
#include <string.h>

#include "common/crc.h"

#define FRAME     8u /* length and crc */
#define BOOT      36u
#define FIXED     (24u + BOOT + 5u) /* of the body, before the texts */
#define TEXTS_MAX (CHANGE_TARGET_MAX + 2 * CHANGE_VALUE_MAX)

_Static_assert(FRAME + FIXED + TEXTS_MAX <= CHANGE_RECORD_MAX, "a record fits");

/* Rows: the state before (0: none); bits: states that may follow. */
#define TO(state) (1u << (state))
static const unsigned moves[CHANGE_STATE_LAST] = {
    [0] = TO(CHANGE_INTENT),
    [CHANGE_INTENT] = TO(CHANGE_APPLIED) | TO(CHANGE_UNDOING) |
                      TO(CHANGE_UNDONE) | TO(CHANGE_DRIFT),
    [CHANGE_APPLIED] =
        TO(CHANGE_UNDOING) | TO(CHANGE_UNDONE) | TO(CHANGE_DRIFT),
    /* Begun again by the next executor. */
    [CHANGE_UNDOING] =
        TO(CHANGE_UNDOING) | TO(CHANGE_UNDONE) | TO(CHANGE_DRIFT),
    /* Somebody may have put our value, or the old one, there again. */
    [CHANGE_DRIFT] =
        TO(CHANGE_UNDOING) | TO(CHANGE_UNDONE) | TO(CHANGE_RELEASED),
};

static void put(uint8_t **at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *(*at)++ = (uint8_t)(v >> (8 * i));
}

static uint64_t get(const uint8_t **at, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t) * (*at)++ << (8 * i);
    return v;
}

size_t change_encode(const struct change *c, uint8_t buf[CHANGE_RECORD_MAX])
{
    const char *const texts[3] = {c->target, c->old, c->new};
    uint8_t *at = buf + FRAME;
    put(&at, c->seq, 8);
    put(&at, c->incarnation, 8);
    put(&at, c->token, 8);
    memset(at, 0, BOOT);
    memcpy(at, c->boot_id, strnlen(c->boot_id, BOOT));
    at += BOOT;
    put(&at, c->kind, 1);
    put(&at, c->state, 1);
    for (int i = 0; i < 3; i++)
        put(&at, strlen(texts[i]), 1);
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(texts[i]);
        assert(n < (i ? CHANGE_VALUE_MAX : CHANGE_TARGET_MAX));
        memcpy(at, texts[i], n);
        at += n;
    }
    size_t body = (size_t)(at - buf) - FRAME;
    at = buf;
    put(&at, body, 4);
    put(&at, crc32c(0, buf + FRAME, body), 4);
    return FRAME + body;
}

/* The body, whose crc is right: a fault in it is a program's. */
static bool read_body(const uint8_t *at, size_t len, struct change *out)
{
    const uint8_t *end = at + len;
    *out = (struct change){.seq = get(&at, 8)};
    out->incarnation = get(&at, 8);
    out->token = get(&at, 8);
    memcpy(out->boot_id, at, BOOT);
    at += BOOT;
    out->kind = (enum change_kind)get(&at, 1);
    out->state = (enum change_state)get(&at, 1);
    size_t sizes[3];
    for (int i = 0; i < 3; i++)
        sizes[i] = (size_t)get(&at, 1);
    if (sizes[0] == 0 || sizes[0] >= CHANGE_TARGET_MAX ||
        sizes[1] >= CHANGE_VALUE_MAX || sizes[2] >= CHANGE_VALUE_MAX ||
        sizes[0] + sizes[1] + sizes[2] != (size_t)(end - at))
        return false;
    if (memchr(at, '\0', (size_t)(end - at)))
        return false;
    memcpy(out->target, at, sizes[0]);
    memcpy(out->old, at + sizes[0], sizes[1]);
    memcpy(out->new, at + sizes[0] + sizes[1], sizes[2]);
    return out->kind > 0 && out->kind < CHANGE_KIND_LAST && out->state > 0 &&
           out->state < CHANGE_STATE_LAST;
}

enum err change_decode(const uint8_t *data, size_t len, struct change *out,
                       size_t *used, struct why *why)
{
    *used = 0;
    if (len < FRAME)
        return err_set(why, ERR_CORRUPT, "%zu bytes of a record", len);
    const uint8_t *at = data;
    size_t body = (size_t)get(&at, 4);
    uint32_t crc = (uint32_t)get(&at, 4);
    if (body < FIXED || body > CHANGE_RECORD_MAX - FRAME)
        return err_set(why, ERR_CORRUPT, "a record of %zu bytes", body);
    if (body > len - FRAME)
        return err_set(why, ERR_CORRUPT, "%zu of a record's %zu bytes",
                       len - FRAME, body);
    *used = FRAME + body;
    if (crc32c(0, at, body) != crc)
        return err_set(why, ERR_CORRUPT, "a record's checksum is wrong");
    return read_body(at, body, out)
               ? ERR_OK
               : err_set(why, ERR_CORRUPT, "a record's fields are wrong");
}

const struct change *changes_find(const struct changes *list,
                                  enum change_kind kind, const char *target)
{
    for (unsigned i = 0; i < list->n; i++)
        if (list->items[i].kind == kind &&
            !strcmp(list->items[i].target, target))
            return &list->items[i];
    return NULL;
}

enum err changes_take(struct changes *list, const struct change *record,
                      struct why *why)
{
    const struct change *known =
        changes_find(list, record->kind, record->target);
    enum change_state before = known ? known->state : (enum change_state)0;
    if (record->seq != list->seq + 1)
        return err_set(why, ERR_STATE, "record %llu follows %llu",
                       (unsigned long long)record->seq,
                       (unsigned long long)list->seq);
    if (!(moves[before] & TO(record->state)))
        return err_set(why, ERR_STATE, "%s %s: %s after %s",
                       change_kind_name(record->kind), record->target,
                       change_state_name(record->state),
                       before ? change_state_name(before) : "nothing");
    if (!known && list->n == CHANGES_MAX)
        return err_set(why, ERR_NOSPACE, "%u changes are not undone",
                       CHANGES_MAX);
    unsigned i = known ? (unsigned)(known - list->items) : list->n++;
    list->seq = record->seq;
    list->items[i] = *record;
    if (record->state == CHANGE_UNDONE || record->state == CHANGE_RELEASED) {
        list->n--;
        memmove(&list->items[i], &list->items[i + 1],
                (list->n - i) * sizeof list->items[0]);
    }
    return ERR_OK;
}

static bool all_zero(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (data[i])
            return false;
    return true;
}

enum err changes_replay(struct changes *list, const uint8_t *data, size_t len,
                        size_t *good, struct why *why)
{
    struct change record;
    size_t used = 0;
    *list = (struct changes){.n = 0};
    *good = 0;
    while (*good < len) {
        const uint8_t *at = data + *good;
        size_t left = len - *good;
        enum err e = change_decode(at, left, &record, &used, why);
        /* A torn record ends the file; nothing was begun after it. */
        if (e && (used == left || (used == 0 && left < CHANGE_RECORD_MAX) ||
                  all_zero(at, left)))
            return ERR_OK;
        if (!e)
            e = changes_take(list, &record, why);
        if (e)
            return err_wrap(why, ERR_CORRUPT, "journal at byte %zu", *good);
        *good += used;
    }
    return ERR_OK;
}

enum change_verdict change_verdict(const struct change *c, const char *boot_id,
                                   const char *current)
{
    if (strcmp(c->boot_id, boot_id) != 0)
        return CHANGE_FORGET;
    if (!strcmp(current, c->old))
        return CHANGE_NOTHING;
    return strcmp(current, c->new) ? CHANGE_LEAVE : CHANGE_WRITE_OLD;
}

const char *change_kind_name(enum change_kind kind)
{
    static const char *const names[CHANGE_KIND_LAST] = {
        "?", [CHANGE_SYSCTL] = "sysctl", [CHANGE_NIC] = "nic",
        [CHANGE_SYSFS] = "sysfs"};
    return names[kind];
}

const char *change_state_name(enum change_state state)
{
    static const char *const names[CHANGE_STATE_LAST] = {
        "?",
        [CHANGE_INTENT] = "intent",
        [CHANGE_APPLIED] = "applied",
        [CHANGE_UNDOING] = "undoing",
        [CHANGE_UNDONE] = "undone",
        [CHANGE_DRIFT] = "drift",
        [CHANGE_RELEASED] = "released"};
    return names[state];
}
