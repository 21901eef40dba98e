#include "common/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool tail(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Length of the acceptable character at p, 0 if there is none (Unicode 15,
 * table 3-7: the second byte's range depends on the first). */
static size_t character(const uint8_t *p, size_t len)
{
    uint8_t a = p[0];
    if (a < 0x80)
        return (a >= 0x20 && a != 0x7f) || a == '\n' || a == '\t';
    if (a < 0xc2 || a > 0xf4)
        return 0;
    size_t n = a < 0xe0 ? 2 : a < 0xf0 ? 3 : 4;
    if (len < n || !tail(p + 1, n - 1))
        return 0;
    uint8_t b = p[1];
    bool bad = (a == 0xc2 && b < 0xa0) /* C1 controls */
               || (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) ||
               (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f);
    return bad ? 0 : n;
}

/* Eight bytes from 0x20 to 0x7e, at once: no high bit, none below 0x20, and
 * none that 0x7f turns to zero ("hasless", "haszero": Bit Twiddling Hacks). */
static bool plain(const uint8_t *p)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
    uint64_t w;
    memcpy(&w, p, sizeof w);
    uint64_t del = w ^ 0x7f * ones;
    return !((w | ((w - 0x20 * ones) & ~w) | ((del - ones) & ~del)) & high);
}

size_t text_good(const void *text, size_t len)
{
    const uint8_t *p = text;
    size_t at = 0;
    while (at < len) {
        if (len - at >= 8 && plain(p + at)) {
            at += 8;
            continue;
        }
        size_t n = character(p + at, len - at);
        if (!n)
            break;
        at += n;
    }
    return at;
}

void text_clean(void *text, size_t len)
{
    uint8_t *p = text;
    for (size_t at = 0; (at += text_good(p + at, len - at)) < len;)
        p[at] = '?';
}
