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
#include "load/hdr_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "common/clock.h"
#include "load/base64.h"

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

enum err hdr_log_encode(const struct hist *h, char **text, struct why *why)
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
static void tag_write(FILE *to, const char *name, const char *kind)
{
    (void)fputs("Tag=", to);
    for (; *name; name++)
        (void)fputc(strchr(" ,\t\"", *name) ? '_' : *name, to);
    (void)fprintf(to, ".%s,", kind);
}

/* The log under way. */
struct log {
    FILE *to;
    uint64_t base_ns;  /* of the first window, CLOCK_MONOTONIC */
    struct hist *hist; /* decoded last */
    struct why *why;
};

static enum err write_interval(struct log *log, const struct session_task *t,
                               uint64_t begin_ns, const char *kind,
                               const struct series_blob *blob)
{
    char *text = NULL;
    if (!blob->len)
        return ERR_OK;
    enum err e = hist_decode(log->hist, blob->data, blob->len, log->why);
    if (!e)
        e = hdr_log_encode(log->hist, &text, log->why);
    if (e)
        return e;
    uint64_t end_ns = begin_ns + NS_PER_S, done_ns = t->sum->last_done_ns;
    if (done_ns > begin_ns && done_ns < end_ns)
        end_ns = done_ns; /* the last one */
    tag_write(log->to, t->work->name, kind);
    (void)fprintf(log->to, "%.3f,%.3f,%.3f,%s\n",
                  ((double)begin_ns - (double)log->base_ns) / 1e9,
                  (double)(end_ns - begin_ns) / 1e9,
                  (double)log->hist->max / MAX_UNIT_NS, text);
    free(text);
    return ERR_OK;
}

static enum err write_task(struct log *log, const struct session *s,
                           const struct session_task *t)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < t->series.n; i++) {
        const struct series_second *second = &t->series.seconds[i];
        uint64_t begin_ns =
            session_origin(s) + (uint64_t)second->second * (uint64_t)NS_PER_S;
        if (second->second < 0)
            continue;
        e = write_interval(log, t, begin_ns, "latency", &second->latency);
        if (!e)
            e = write_interval(log, t, begin_ns, "service", &second->service);
    }
    if (t->series.lost)
        (void)fprintf(log->to, "#[%s: %llu seconds found no memory]\n",
                      t->work->name, (unsigned long long)t->series.lost);
    return e;
}

static void write_head(struct log *log)
{
    double ago_s = (double)(clock_mono_ns() - log->base_ns) / 1e9;
    double base_s = (double)clock_wall_ns() / 1e9 - ago_s;
    time_t whole = (time_t)base_s;
    struct tm utc;
    char date[40];
    (void)strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y",
                   gmtime_r(&whole, &utc));
    (void)fprintf(log->to,
                  "#[Logged with pitwall-load " PITWALL_VERSION "]\n"
                  "#[Histogram log format version 1.3]\n"
                  "#[BaseTime: %.3f (seconds since epoch)]\n"
                  "#[StartTime: %.3f (seconds since epoch), %s]\n"
                  "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                  "\"Interval_Compressed_Histogram\"\n",
                  base_s, base_s, date);
}

enum err hdr_log_write(FILE *to, const char *name, const struct course *c,
                       struct why *why)
{
    struct log log = {.to = to, .base_ns = clock_mono_ns(), .why = why};
    enum err e = ERR_OK;
    log.hist = malloc(sizeof *log.hist);
    if (!log.hist)
        return err_set(why, ERR_NOMEM, "histogram: out of memory");
    if (c->n_sessions)
        log.base_ns = session_origin(c->sessions[0]);
    write_head(&log);
    for (size_t i = 0; !e && i < c->n_sessions; i++)
        for (size_t t = 0; !e && t < session_tasks(c->sessions[i]); t++)
            if (session_task(c->sessions[i], t)->told)
                e = write_task(&log, c->sessions[i],
                               session_task(c->sessions[i], t));
    if (!e && (fflush(to) || ferror(to)))
        e = err_errno(why, errno, "--hdr %s", name);
    free(log.hist);
    return e;
}
