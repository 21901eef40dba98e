/* Lines as JDK 17 writes them; ... stands for more of their kind:
 *
 *   [6.600s][23466957170188ns][info][gc ] GC(0) Pause Young (...) 68M->5M(247M)
 *   28.273ms
 *   [...][gc,phases] GC(4) Pause Mark End 0.014ms                (ZGC)
 *   [...][gc] GC(7) Concurrent Mark Cycle 9.100ms                (G1)
 *   [...][safepoint ] Safepoint "Cleanup", Time since last: 1000276844 ns,
 *   Reaching safepoint: 10262 ns, Cleanup: 43784 ns, At safepoint: 3452 ns,
 *   Total: 57498 ns
 *
 * JDK 11 has another safepoint: "Total time for which application threads were
 * stopped: 0.0001 seconds, Stopping threads took: 0.00005 seconds". */
#include "agent/watch/gclog.h"

#include <string.h>

#include "common/clock.h"

#define NS_MAX (UINT64_MAX / 4) /* of one length: 146 years */

static bool begins(const struct scan *s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s->end - s->at) >= n && !memcmp(s->at, text, n);
}

static bool take(struct scan *s, const char *text)
{
    bool there = begins(s, text);
    s->at += there ? strlen(text) : 0;
    return there;
}

static bool digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* Digits, in front; false when there are none or too many. */
static bool take_number(struct scan *s, uint64_t *out)
{
    uint64_t value = 0;
    bool any = digit(s);
    for (; digit(s); s->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*s->at - '0'), &value))
            return false;
    *out = value;
    return any;
}

/* "28.273" of a unit, in ns, cut below them. */
static bool take_ns(struct scan *s, uint64_t unit_ns, uint64_t *out)
{
    uint64_t part;
    if (!take_number(s, out) || __builtin_mul_overflow(*out, unit_ns, out) ||
        *out > NS_MAX)
        return false;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        for (part = unit_ns / 10; digit(s); s->at++, part /= 10)
            *out += (uint64_t)(*s->at - '0') * part;
    }
    return true;
}

/* "68M" */
static bool take_size(struct scan *s, uint64_t *out)
{
    static const struct {
        char letter;
        unsigned shift;
    } units[] = {{'B', 0}, {'K', 10}, {'M', 20}, {'G', 30}};
    if (!take_number(s, out) || s->at == s->end)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*s->at == units[i].letter) {
            s->at++;
            return !__builtin_mul_overflow(*out, 1ull << units[i].shift, out);
        }
    return false;
}

/* What follows text anywhere in the line. */
static bool find(struct scan line, const char *text, struct scan *rest)
{
    const char *at =
        memmem(line.at, (size_t)(line.end - line.at), text, strlen(text));
    *rest = (struct scan){at ? at + strlen(text) : line.end, line.end};
    return at != NULL;
}

/* The decorations: the time among them, and the tags, which come last. */
static bool take_decorations(struct scan *line, uint64_t *at_ns,
                             struct scan *tags)
{
    bool timed = false;
    *tags = (struct scan){line->at, line->at};
    while (line->at < line->end && *line->at == '[') {
        const char *close =
            memchr(line->at, ']', (size_t)(line->end - line->at));
        if (!close)
            return false;
        struct scan piece = {line->at + 1, close}, number = piece;
        uint64_t ns;
        if (take_number(&number, &ns) && scan_is(&number, "ns")) {
            timed = true;
            *at_ns = ns;
        }
        while (piece.end > piece.at && piece.end[-1] == ' ')
            piece.end--;
        *tags = piece;
        line->at = close + 1;
    }
    (void)take(line, " ");
    return timed;
}

/* "28.273ms", the line's last word. */
static bool last_ms(struct scan line, uint64_t *ns)
{
    const char *blank = memrchr(line.at, ' ', (size_t)(line.end - line.at));
    struct scan word = {blank ? blank + 1 : line.at, line.end};
    return take_ns(&word, NS_PER_MS, ns) && scan_is(&word, "ms");
}

/* " 68M->5M(247M) ": the first word that has an arrow. */
static void read_sizes(struct scan line, struct gclog_line *out)
{
    struct scan word;
    while (scan_word(&line, &word)) {
        uint64_t before, after;
        if (take_size(&word, &before) && take(&word, "->") &&
            take_size(&word, &after)) {
            out->before_bytes = before;
            out->after_bytes = after;
            return;
        }
    }
}

static bool read_collection(struct scan line, struct gclog_line *out)
{
    if (!take(&line, "GC(") || !take_number(&line, &out->gc) ||
        !take(&line, ") ") || !last_ms(line, &out->ns))
        return false;
    if (begins(&line, "Pause "))
        out->kind = GCLOG_PAUSE;
    else if (begins(&line, "Concurrent "))
        out->kind = GCLOG_CONCURRENT;
    else
        return false;
    out->old = !begins(&line, "Pause Young");
    read_sizes(line, out);
    return true;
}

static bool read_safepoint(struct scan line, struct gclog_line *out)
{
    struct scan total, wait;
    uint64_t unit_ns = 1;
    if (find(line, "Total: ", &total)) {
        (void)find(line, "Reaching safepoint: ", &wait);
    } else if (find(line, "threads were stopped: ", &total)) {
        (void)find(line, "Stopping threads took: ", &wait);
        unit_ns = NS_PER_S;
    } else {
        return false;
    }
    out->kind = GCLOG_SAFEPOINT;
    return take_ns(&total, unit_ns, &out->ns) &&
           take_ns(&wait, unit_ns, &out->wait_ns);
}

bool gclog_parse(struct scan text, struct gclog_line *out)
{
    struct scan tags;
    *out = (struct gclog_line){.kind = GCLOG_OTHER};
    if (!take_decorations(&text, &out->at_ns, &tags))
        return false;
    bool good = false;
    if (scan_is(&tags, "gc") || scan_is(&tags, "gc,phases"))
        good = read_collection(text, out);
    else if (scan_is(&tags, "safepoint"))
        good = read_safepoint(text, out);
    if (!good)
        out->kind = GCLOG_OTHER;
    return good;
}
