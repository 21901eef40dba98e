/* The encoding (HdrHistogram's AbstractHistogram.java and its logs' readers
 * agree on it), all numbers big-endian:
 *
 *   u32 cookie 0x1c849314, u32 length, then zlib(
 *     u32 cookie 0x1c849313, u32 bytes of counts, u32 index offset (0),
 *     u32 significant digits, u64 lowest value, u64 highest value,
 *     f64 ratio of integers to doubles (1.0),
 *     counts up to the largest value's bucket, ZigZag LEB128 each, a run of
 *     n > 1 empty buckets as -n)
 */
#include "common/hdr.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "common/base64.h"

#define COOKIE_ZIPPED 0x1c849314u
#define COOKIE        0x1c849313u
#define HEAD_BYTES    40u
#define COUNT_BYTES   9u /* at most, of one */
#define DIGITS        3u
#define HIGHEST       ((1ull << 43) - 1)
#define MAX_UNIT_NS   1e6

static size_t put_number(uint8_t *out, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
    return bytes;
}

/* HIST_TOTAL_MAX keeps the numbers below nine groups of seven bits. */
static size_t put_count(uint8_t *out, int64_t v)
{
    uint64_t zigzag = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    size_t n = 0;
    do {
        out[n++] = (uint8_t)((zigzag & 0x7f) | (zigzag > 0x7f ? 0x80 : 0));
        zigzag >>= 7;
    } while (zigzag);
    return n;
}

static size_t put_counts(uint8_t *out, const struct hist *h)
{
    size_t n = 0;
    uint32_t end = h->total ? hist_bucket(h->max) + 1 : 0;
    for (uint32_t i = 0; i < end;) {
        int64_t zeros = 0;
        for (; !h->counts[i]; i++) /* the last one is not empty */
            zeros++;
        if (zeros)
            n += put_count(out + n, zeros > 1 ? -zeros : 0);
        n += put_count(out + n, (int64_t)h->counts[i++]);
    }
    return n;
}

/* The histogram, not yet zipped; returns its length. */
static size_t write_plain(uint8_t *out, const struct hist *h)
{
    const double ratio = 1;
    uint64_t ratio_bits;
    size_t counts = put_counts(out + HEAD_BYTES, h), at = 0;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    at += put_number(out + at, COOKIE, 4);
    at += put_number(out + at, counts, 4);
    at += put_number(out + at, 0, 4);
    at += put_number(out + at, DIGITS, 4);
    at += put_number(out + at, 1, 8);
    at += put_number(out + at, HIGHEST, 8);
    at += put_number(out + at, ratio_bits, 8);
    return at + counts;
}

enum err hdr_encode(const struct hist *h, char **text, struct why *why)
{
    size_t plain_max = HEAD_BYTES + (size_t)HIST_BUCKETS * COUNT_BYTES;
    uLongf zipped = compressBound(plain_max);
    uint8_t *plain = malloc(plain_max), *all = malloc(8 + zipped);
    enum err e = err_set(why, ERR_NOMEM, "histogram: out of memory");
    *text = NULL;
    if (!plain || !all ||
        compress(all + 8, &zipped, plain, write_plain(plain, h)) != Z_OK)
        goto out;
    (void)put_number(all, COOKIE_ZIPPED, 4);
    (void)put_number(all + 4, zipped, 4);
    *text = malloc(BASE64_BYTES(8 + zipped));
    if (!*text)
        goto out;
    base64_write(*text, all, 8 + zipped);
    e = ERR_OK;
out:
    free(plain);
    free(all);
    return e;
}

/* What a tag may not have. */
static void write_tag(FILE *to, const char *name, const char *kind)
{
    (void)fputs("Tag=", to);
    for (; *name; name++)
        (void)fputc(strchr(" ,\t\"", *name) ? '_' : *name, to);
    (void)fprintf(to, ".%s,", kind);
}

enum err hdr_line(FILE *to, const struct hdr_interval *i, const struct hist *h,
                  struct why *why)
{
    char *text = NULL;
    enum err e = hdr_encode(h, &text, why);
    if (e)
        return e;
    write_tag(to, i->name, i->kind);
    (void)fprintf(to, "%.3f,%.3f,%.3f,%s\n", i->begin_s, i->length_s,
                  (double)h->max / MAX_UNIT_NS, text);
    free(text);
    return ERR_OK;
}

void hdr_head(FILE *to, const char *program, double base_s)
{
    time_t whole = (time_t)base_s;
    struct tm utc;
    char date[40];
    (void)strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y",
                   gmtime_r(&whole, &utc));
    (void)fprintf(to,
                  "#[Logged with %s " PITWALL_VERSION "]\n"
                  "#[Histogram log format version 1.3]\n"
                  "#[BaseTime: %.3f (seconds since epoch)]\n"
                  "#[StartTime: %.3f (seconds since epoch), %s]\n"
                  "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                  "\"Interval_Compressed_Histogram\"\n",
                  program, base_s, base_s, date);
}
