#include "common/hist.h"

#include <math.h>
#include <string.h>

#define LINEAR  2048u
#define HALF    1024u
#define VERSION 1u

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

void hist_record_n(struct hist *h, uint64_t value, uint64_t n)
{
    if (!n)
        return;
    if (!h->total || value < h->min)
        h->min = value;
    if (value > h->max)
        h->max = value;
    h->total += n;
    h->sum += value * n;
    if (value >> 43)
        h->over += n;
    h->counts[hist_bucket(value)] += n;
}

void hist_record(struct hist *h, uint64_t value)
{
    hist_record_n(h, value, 1);
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
    into->sum += from->sum;
    into->over += from->over;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        into->counts[i] += from->counts[i];
}

uint64_t hist_percentile(const struct hist *h, double p)
{
    if (!h->total)
        return 0;
    double rank = ceil(p * (double)h->total - 1e-9);
    uint64_t k = rank < 1 ? 1 : (uint64_t)rank;
    if (k >= h->total)
        return h->max;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
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

static enum err corrupt(struct hist *h, struct why *why, const char *what)
{
    hist_reset(h);
    return err_set(why, ERR_CORRUPT, "histogram: %s", what);
}

enum err hist_decode(struct hist *h, const uint8_t *buf, size_t len,
                     struct why *why)
{
    hist_reset(h);
    size_t at = 0;
    uint64_t version = 0, v = 0, sum = 0;
    uint64_t *const head[] = {&version, &h->total, &h->sum,
                              &h->min,  &h->max,   &h->over};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        if (!get(buf, len, &at, head[i]))
            return corrupt(h, why, "cut short");
    if (version != VERSION)
        return corrupt(h, why, "unknown version");
    uint64_t bucket = 0;
    while (at < len) {
        if (!get(buf, len, &at, &v))
            return corrupt(h, why, "cut short");
        uint64_t n = v >> 1;
        if (!n || (v & 1 ? n : 1) > HIST_BUCKETS - bucket)
            return corrupt(h, why, "too many buckets");
        if (v & 1) {
            bucket += n;
            continue;
        }
        h->counts[bucket++] = n;
        if (n > UINT64_MAX - sum)
            return corrupt(h, why, "counts overflow");
        sum += n;
    }
    if (sum != h->total || h->over > h->total || h->min > h->max)
        return corrupt(h, why, "counts do not add up");
    return ERR_OK;
}
