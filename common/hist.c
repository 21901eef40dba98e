#include "common/hist.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LINEAR  2048u
#define HALF    1024u
#define VERSION 1u
#define TOP     (1ull << 43) /* first value that does not fit */

uint32_t hist_bucket(uint64_t value)
{
    if (value < LINEAR)
        return (uint32_t)value;
    unsigned shift = 53u - (unsigned)__builtin_clzll(value); /* msb - 10 */
    if (shift > 32)
        return HIST_BUCKETS - 1;
    return LINEAR + (shift - 1) * HALF + (uint32_t)(value >> shift) - HALF;
}

uint64_t hist_bucket_high(uint32_t bucket)
{
    if (bucket < LINEAR)
        return bucket;
    uint32_t shift = (bucket - LINEAR) / HALF + 1;
    uint64_t base = HALF + (bucket - LINEAR) % HALF;
    return ((base + 1) << shift) - 1;
}

static void add_sum(struct hist *h, uint64_t more)
{
    if (__builtin_add_overflow(h->sum, more, &h->sum))
        h->sum = UINT64_MAX;
}

void hist_record(struct hist *h, uint64_t value)
{
    if (!h->total || value < h->min)
        h->min = value;
    if (value > h->max)
        h->max = value;
    h->total++;
    add_sum(h, value);
    h->over += value >= TOP;
    h->counts[hist_bucket(value)]++;
}

void hist_record_n(struct hist *h, uint64_t value, uint64_t n)
{
    uint64_t room = h->total < HIST_TOTAL_MAX ? HIST_TOTAL_MAX - h->total : 0;
    n = n < room ? n : room;
    if (!n)
        return;
    hist_record(h, value);
    n--;
    uint64_t sum = 0;
    add_sum(h, __builtin_mul_overflow(value, n, &sum) ? UINT64_MAX : sum);
    h->total += n;
    h->over += value >= TOP ? n : 0;
    h->counts[hist_bucket(value)] += n;
}

void hist_reset(struct hist *h)
{
    memset(h, 0, sizeof *h);
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (!from->total)
        return;
    if (!into->total || from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    into->total += from->total;
    add_sum(into, from->sum);
    into->over += from->over;
    uint32_t last = hist_bucket(from->max);
    for (uint32_t i = hist_bucket(from->min); i <= last; i++)
        into->counts[i] += from->counts[i];
}

uint64_t hist_percentile(const struct hist *h, double p)
{
    assert(p >= 0 && p <= 1);
    if (!h->total)
        return 0;
    double rank = ceil(p * (double)h->total - 1e-9);
    uint64_t k = rank < 1 ? 1 : (uint64_t)rank;
    if (k >= h->total)
        return h->max;
    uint64_t seen = 0;
    for (uint32_t i = hist_bucket(h->min); i < HIST_BUCKETS; i++) {
        seen += h->counts[i];
        if (seen >= k) {
            uint64_t v = hist_bucket_high(i);
            return v < h->max ? v : h->max;
        }
    }
    return h->max;
}

double hist_mean(const struct hist *h)
{
    return h->total ? (double)h->sum / (double)h->total : 0;
}

/* Append one LEB128 number; false when it does not fit. */
static bool put(uint8_t *buf, size_t size, size_t *at, uint64_t v)
{
    do {
        if (*at == size)
            return false;
        uint8_t byte = v & 0x7f;
        v >>= 7;
        buf[(*at)++] = (uint8_t)(byte | (v ? 0x80 : 0));
    } while (v);
    return true;
}

static bool get(const uint8_t *buf, size_t len, size_t *at, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (*at == len)
            return false;
        uint8_t byte = buf[(*at)++];
        if (shift == 63 && byte > 1)
            return false;
        *v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

size_t hist_encode(const struct hist *h, uint8_t *buf, size_t size)
{
    size_t at = 0;
    const uint64_t head[] = {VERSION, h->total, h->sum,
                             h->min,  h->max,   h->over};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        if (!put(buf, size, &at, head[i]))
            return 0;
    uint32_t run = 0;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        if (!h->counts[i]) {
            run++;
            continue;
        }
        if (run && !put(buf, size, &at, (uint64_t)run << 1 | 1))
            return 0;
        run = 0;
        if (!put(buf, size, &at, h->counts[i] << 1))
            return 0;
    }
    return at;
}

/* What stands beside the counts, and what these come to. */
struct summary {
    uint64_t total, sum, min, max, over;
    uint64_t counted, top;
    uint32_t first, last; /* buckets with counts */
};

/* The numbers beside the counts say the same as the counts. */
static bool agrees(const struct summary *s)
{
    if (s->counted != s->total || s->total > HIST_TOTAL_MAX)
        return false;
    if (!s->counted)
        return !s->sum && !s->min && !s->max && !s->over;
    if (s->min > s->max || hist_bucket(s->min) != s->first ||
        hist_bucket(s->max) != s->last)
        return false;
    if (s->over > s->top || (s->max < TOP && s->over) ||
        (s->max >= TOP && !s->over) || (s->min >= TOP && s->over != s->top))
        return false;
    uint64_t least = 0, most = 0;
    bool over_least = __builtin_mul_overflow(s->min, s->total, &least);
    bool over_most = __builtin_mul_overflow(s->max, s->total, &most);
    return over_least ? s->sum == UINT64_MAX
                      : s->sum >= least && (over_most || s->sum <= most);
}

/* The counts up to the end of buf, into counts unless it is NULL. */
static const char *counts_read(struct summary *s, uint64_t *counts,
                               const uint8_t *buf, size_t len, size_t at)
{
    uint64_t bucket = 0, v = 0;
    s->first = HIST_BUCKETS;
    while (at < len) {
        if (!get(buf, len, &at, &v))
            return "cut short";
        uint64_t n = v >> 1;
        if (!n || (v & 1 ? n : 1) > HIST_BUCKETS - bucket)
            return "too many buckets";
        if (v & 1) {
            bucket += n;
            continue;
        }
        if (n > HIST_TOTAL_MAX || s->counted > HIST_TOTAL_MAX)
            return "counts overflow";
        s->counted += n;
        s->last = (uint32_t)bucket;
        s->first = s->first < s->last ? s->first : s->last;
        s->top = bucket == HIST_BUCKETS - 1 ? n : 0;
        if (counts)
            counts[bucket] = n;
        bucket++;
    }
    return agrees(s) ? NULL : "counts do not add up";
}

static enum err read_all(struct summary *s, uint64_t *counts,
                         const uint8_t *buf, size_t len, struct why *why)
{
    size_t at = 0;
    uint64_t version = 0;
    uint64_t *const head[] = {&version, &s->total, &s->sum,
                              &s->min,  &s->max,   &s->over};
    const char *fault = NULL;
    *s = (struct summary){0};
    for (size_t i = 0; i < sizeof head / sizeof *head && !fault; i++)
        if (!get(buf, len, &at, head[i]))
            fault = "cut short";
    if (!fault && version != VERSION)
        fault = "unknown version";
    if (!fault)
        fault = counts_read(s, counts, buf, len, at);
    return fault ? err_set(why, ERR_CORRUPT, "histogram: %s", fault) : ERR_OK;
}

enum err hist_decode(struct hist *h, const uint8_t *buf, size_t len,
                     struct why *why)
{
    struct summary s;
    hist_reset(h);
    enum err e = read_all(&s, h->counts, buf, len, why);
    if (e) {
        hist_reset(h);
        return e;
    }
    h->total = s.total;
    h->sum = s.sum;
    h->min = s.min;
    h->max = s.max;
    h->over = s.over;
    return ERR_OK;
}

enum err hist_check(const uint8_t *buf, size_t len, struct why *why)
{
    struct summary s;
    return read_all(&s, NULL, buf, len, why);
}
