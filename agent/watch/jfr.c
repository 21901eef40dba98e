/* A recording is a row of chunks, each complete in itself:
 *
 *     header 68 bytes, big-endian: "FLR\0", major u16, minor u16, size u64,
 *         last checkpoint's and metadata's place u64 each, start ns u64 (wall
 *         clock), length ns u64, start ticks u64, ticks per second u64, ...
 *     events: size, class number, fields      numbers as jfr_bytes.h has them
 *
 * Metadata (class 0) says what the fields are, checkpoints (class 1), each of
 * which knows where the one before it is, what their numbers stand for; so both
 * are read before the events. Tested against JDK 17's `jfr summary`. */
#include "agent/watch/jfr.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/jfr_pool.h"
#include "common/clock.h"

#define HEADER_BYTES    68u
#define BUFFER_BYTES    (256u << 10)
#define SPECIAL_MAX     (32u << 20) /* of metadata, and of a checkpoint */
#define CHECKPOINTS_MAX 65536u
#define EVENT_HEAD      18u /* two numbers, at their longest */
#define CLOCK_MIN_NS    NS_PER_S
#define CLOCK_TRUST     0.02 /* of a processor's word about itself */

struct chunk {
    uint64_t at, size; /* in the file */
    uint64_t checkpoint, metadata;
    uint64_t start_ns, ns, start_ticks, ticks_s;
    double tick_ns; /* see set_clock */
};

struct reader {
    int fd;
    const struct jfr_plan *plan;
    struct jfr_sum *sum;
    struct chunk chunk;
    double tick_ns; /* over all chunks; 0: there is one, or they are short */
    struct jfr_types *types;
    const struct jfr_class *classes[JFR_KINDS]; /* NULL: not in this chunk */
    uint8_t *special;                           /* metadata, which types use */
    struct jfr_pool pool;
    uint8_t buffer[BUFFER_BYTES];
};

static enum err corrupt(const struct reader *r, const char *what,
                        struct why *why)
{
    return err_set(why, ERR_CORRUPT, "chunk at %llu: %s",
                   (unsigned long long)r->chunk.at, what);
}

/* As many bytes as there are from at on, at most size. */
static enum err read_at(const struct reader *r, uint64_t at, void *buf,
                        size_t size, size_t *len, struct why *why)
{
    *len = 0;
    if (clock_mono_ns() >= r->plan->due_ns)
        return err_set(why, ERR_TIMEOUT, "reading it took too long");
    while (*len < size) {
        ssize_t n = pread(r->fd, (uint8_t *)buf + *len, size - *len,
                          (off_t)(at + *len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(why, errno, "read");
        if (n == 0)
            break;
        *len += (size_t)n;
    }
    return ERR_OK;
}

static uint64_t big_endian(const uint8_t *at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | at[i];
    return value;
}

/* The header at chunk.at; ERR_AGAIN: the file ends there. */
static enum err read_header(struct reader *r, uint64_t file, struct why *why)
{
    uint8_t head[HEADER_BYTES];
    size_t len;
    struct chunk *c = &r->chunk;
    enum err e = read_at(r, c->at, head, sizeof head, &len, why);
    if (e || !len)
        return e ? e : ERR_AGAIN;
    if (len < sizeof head || memcmp(head, "FLR", 4) != 0)
        return corrupt(r, "it does not begin like one of a recording", why);
    if (big_endian(head + 4, 2) < 2)
        return err_set(why, ERR_VERSION, "a recording of JDK 8 or older");
    c->size = big_endian(head + 8, 8);
    c->checkpoint = big_endian(head + 16, 8);
    c->metadata = big_endian(head + 24, 8);
    c->start_ns = big_endian(head + 32, 8);
    c->ns = big_endian(head + 40, 8);
    c->start_ticks = big_endian(head + 48, 8);
    c->ticks_s = big_endian(head + 56, 8);
    if (c->size < HEADER_BYTES || c->size > file - c->at || !c->ticks_s ||
        c->metadata < HEADER_BYTES || c->checkpoint < HEADER_BYTES)
        return corrupt(r, "its header contradicts itself or the file", why);
    return ERR_OK;
}

/* Metadata or a checkpoint. */
struct special {
    uint8_t *data;     /* malloc'ed */
    size_t from, size; /* where its fields begin; where it ends */
};

/* The event at place (in the chunk), whole, which must be of class id. */
static enum err read_special(const struct reader *r, uint64_t place,
                             uint64_t id, struct special *out, struct why *why)
{
    uint8_t head[EVENT_HEAD] = {0};
    size_t len = 0;
    out->data = NULL;
    enum err e =
        place >= r->chunk.size
            ? corrupt(r, "a place beyond its end", why)
            : read_at(r, r->chunk.at + place, head, sizeof head, &len, why);
    struct jfr_bytes b = {head, head + len, false};
    uint64_t bytes = jfr_bytes_number(&b), class = jfr_bytes_number(&b);
    out->from = (size_t)(b.at - head);
    if (!e && (b.bad || class != id || bytes < out->from ||
               bytes > SPECIAL_MAX || bytes > r->chunk.size - place))
        e = corrupt(r, "metadata or a checkpoint is not where it should be",
                    why);
    if (e)
        return e;
    out->data = malloc((size_t)bytes);
    if (!out->data)
        return err_set(why, ERR_NOMEM, "metadata of a recording");
    e = read_at(r, r->chunk.at + place, out->data, (size_t)bytes, &out->size,
                why);
    if (!e && out->size < bytes)
        e = corrupt(r, "the file ends within it", why);
    return e;
}

static enum err read_types(struct reader *r, struct why *why)
{
    static const char *const names[JFR_KINDS] = {
        [JFR_TLAB] = "jdk.ObjectAllocationInNewTLAB",
        [JFR_OUTSIDE] = "jdk.ObjectAllocationOutsideTLAB",
        [JFR_COLLECTION] = "jdk.GarbageCollection",
        [JFR_COMPILATION] = "jdk.Compilation"};
    struct special m;
    enum err e = read_special(r, r->chunk.metadata, 0, &m, why);
    r->special = m.data;
    if (!e)
        e = jfr_types_read(&r->types, m.data + m.from, m.size - m.from, why);
    for (unsigned i = 0; !e && i < JFR_KINDS; i++)
        r->classes[i] = jfr_types_named(r->types, names[i]);
    return e;
}

/* Ticks are the processor's, and how many make a second is what it says of
 * itself: by which a second can be some ms wrong. So the system's clock, by
 * which chunks tell when they start, says how long they are; none where that is
 * too short a time, or too far from the processor's word. */
static double measured_tick_ns(const struct chunk *c, uint64_t ns,
                               uint64_t ticks)
{
    double said = (double)NS_PER_S / (double)c->ticks_s;
    double ratio = ticks ? (double)ns / (double)ticks / said : 0;
    bool good = ns >= CLOCK_MIN_NS && ratio > 1 - CLOCK_TRUST &&
                ratio < 1 + CLOCK_TRUST;
    return good ? ratio * said : said;
}

/* From the first chunk's start to the last one's. */
static enum err read_clock(struct reader *r, uint64_t file, struct why *why)
{
    struct chunk first = {0}, *c = &r->chunk;
    enum err e = read_header(r, file, why);
    for (first = *c; !e; e = read_header(r, file, why)) {
        uint64_t ns = c->start_ns - first.start_ns;
        if (c->at && c->start_ns > first.start_ns &&
            c->start_ticks > first.start_ticks && ns >= CLOCK_MIN_NS)
            r->tick_ns =
                measured_tick_ns(c, ns, c->start_ticks - first.start_ticks);
        c->at += c->size;
    }
    c->at = 0;
    return e == ERR_AGAIN ? ERR_OK : e;
}

/* Of a single chunk, from its start to its end, when its last checkpoint was
 * written. */
static void set_clock(struct reader *r, const uint8_t *checkpoint, size_t len)
{
    struct jfr_bytes b = {checkpoint, checkpoint + len, false};
    struct chunk *c = &r->chunk;
    uint64_t end = jfr_bytes_number(&b);
    c->tick_ns =
        r->tick_ns > 0
            ? r->tick_ns
            : measured_tick_ns(c, c->ns,
                               end > c->start_ticks ? end - c->start_ticks : 0);
}

/* From the last checkpoint back to the first. */
static enum err read_pools(struct reader *r, struct why *why)
{
    uint64_t place = r->chunk.checkpoint;
    enum err e = ERR_OK;
    memset(&r->pool, 0, sizeof r->pool);
    for (unsigned n = 0; !e && n < CHECKPOINTS_MAX; n++) {
        struct special c;
        int64_t back = 0;
        e = read_special(r, place, 1, &c, why);
        if (!e && !n)
            set_clock(r, c.data + c.from, c.size - c.from);
        if (!e)
            jfr_pool_read(&r->pool, r->types, c.data + c.from, c.size - c.from,
                          &back);
        free(c.data);
        /* Told as what to add to this one's place. */
        if (e || back >= 0 || (uint64_t)-back > place)
            break;
        place -= (uint64_t)-back;
    }
    return e;
}

/* Events ------------------------------------------------------------------ */

static uint64_t ticks_ns(const struct chunk *c, uint64_t ticks)
{
    double ns = (double)ticks * c->tick_ns;
    return ns < 9e18 ? (uint64_t)ns : UINT64_MAX / 4;
}

static uint64_t moment_ns(const struct reader *r, uint64_t ticks)
{
    const struct chunk *c = &r->chunk;
    uint64_t wall_ns = ticks >= c->start_ticks
                           ? c->start_ns + ticks_ns(c, ticks - c->start_ticks)
                           : c->start_ns - ticks_ns(c, c->start_ticks - ticks);
    return wall_ns - (uint64_t)r->plan->wall_ahead_ns;
}

static enum err give(struct reader *r, enum jfr_kind kind,
                     const struct jfr_values *v, struct why *why)
{
    const uint64_t *n = v->number;
    struct jfr_event event = {
        .kind = kind,
        .at_ns = moment_ns(r, n[JFR_SLOT_START]),
        .ns = ticks_ns(&r->chunk, n[JFR_SLOT_DURATION]),
        .bytes =
            n[kind == JFR_TLAB ? JFR_SLOT_TLAB_SIZE : JFR_SLOT_ALLOCATION_SIZE],
        .worker = jfr_pool_worker(&r->pool, n[JFR_SLOT_THREAD]),
        .old = !jfr_pool_young(&r->pool, n[JFR_SLOT_NAME]),
        .pauses_ns = ticks_ns(&r->chunk, n[JFR_SLOT_PAUSES]),
        .longest_ns = ticks_ns(&r->chunk, n[JFR_SLOT_LONGEST]),
        .level = n[JFR_SLOT_LEVEL],
    };
    return r->plan->take(r->plan->ctx, &event, why);
}

/* One event of which all bytes are there; b begins after its size. */
static enum err take_event(struct reader *r, struct jfr_bytes b,
                           struct why *why)
{
    struct jfr_values v;
    uint64_t id = jfr_bytes_number(&b);
    for (unsigned k = 0; k < JFR_KINDS; k++) {
        if (!r->classes[k] || jfr_class_id(r->classes[k]) != id)
            continue;
        jfr_types_value(r->types, r->classes[k], &b, &v);
        return b.bad ? corrupt(r, "an event is shorter than its fields", why)
                     : give(r, (enum jfr_kind)k, &v, why);
    }
    return ERR_OK;
}

/* Take the events that lie whole within data[0..len); *done: their bytes, or
 * those of one that is longer than any of ours and is passed over. */
static enum err take_events(struct reader *r, size_t len, uint64_t *done,
                            struct why *why)
{
    enum err e = ERR_OK;
    *done = 0;
    while (!e && *done < len) {
        const uint8_t *at = r->buffer + *done;
        struct jfr_bytes b = {at, r->buffer + len, false};
        uint64_t size = jfr_bytes_number(&b);
        bool cut = b.bad || size > len - *done;
        if (!b.bad && size < 2)
            return corrupt(r, "an event without bytes", why);
        if (cut && *done)
            break;
        if (cut && (b.bad || size <= BUFFER_BYTES))
            return corrupt(r, "its last event is cut off", why);
        b.end = cut ? b.end : at + size;
        *done += size;
        if (!cut)
            e = take_event(r, b, why);
    }
    return e;
}

static enum err read_events(struct reader *r, struct why *why)
{
    const struct chunk *c = &r->chunk;
    enum err e = ERR_OK;
    for (uint64_t at = HEADER_BYTES; !e && at < c->size;) {
        uint64_t left = c->size - at, done = 0;
        size_t len = 0;
        e = read_at(r, c->at + at, r->buffer,
                    left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, &len,
                    why);
        if (!e && !len)
            e = corrupt(r, "the file ends within it", why);
        if (!e)
            e = take_events(r, len, &done, why);
        if (!e && done > left)
            e = corrupt(r, "its last event is longer than it", why);
        at += done;
    }
    return e;
}

static enum err read_chunk(struct reader *r, struct why *why)
{
    enum err e = read_types(r, why);
    if (!e)
        e = read_pools(r, why);
    if (!e)
        e = read_events(r, why);
    jfr_types_free(r->types);
    free(r->special);
    r->types = NULL;
    r->special = NULL;
    return e;
}

enum err jfr_read(int fd, const struct jfr_plan *plan, struct jfr_sum *sum,
                  struct why *why)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return err_set(why, ERR_CORRUPT, "not a plain file");
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(why, ERR_NOMEM, "a recording");
    r->fd = fd;
    r->plan = plan;
    r->sum = sum;
    enum err e = read_clock(r, (uint64_t)st.st_size, why);
    while (!e) {
        e = read_header(r, (uint64_t)st.st_size, why);
        if (!e)
            e = read_chunk(r, why);
        if (e)
            break;
        uint64_t begin_ns = moment_ns(r, r->chunk.start_ticks);
        if (!sum->chunks++ || begin_ns < sum->begin_ns)
            sum->begin_ns = begin_ns;
        sum->bytes += r->chunk.size;
        sum->clock_ratio = r->chunk.tick_ns * (double)r->chunk.ticks_s / 1e9;
        r->chunk.at += r->chunk.size;
    }
    free(r);
    return e == ERR_AGAIN ? ERR_OK : e;
}
