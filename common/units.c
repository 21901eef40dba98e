#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit byte_units[] = {
    {"", 1},        {"b", 1},        {"k", 0x1p10}, {"kb", 0x1p10},
    {"ki", 0x1p10}, {"kib", 0x1p10}, {"m", 0x1p20}, {"mb", 0x1p20},
    {"mi", 0x1p20}, {"mib", 0x1p20}, {"g", 0x1p30}, {"gb", 0x1p30},
    {"gi", 0x1p30}, {"gib", 0x1p30}, {"t", 0x1p40}, {"tb", 0x1p40},
    {"ti", 0x1p40}, {"tib", 0x1p40}, {NULL, 0},
};

static const struct unit time_units[] = {
    {"ns", 1},   {"us", 1e3},   {"ms", 1e6},    {"s", 1e9},
    {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {NULL, 0},
};

static const struct unit bit_units[] = {
    {"bit", 1},    {"kbit", 1e3},  {"mbit", 1e6},
    {"gbit", 1e9}, {"tbit", 1e12}, {NULL, 0},
};

/* A number and its unit; strtod's own liberties (signs, hex, inf, nan) are not
 * ours, so the first character must be a digit and no x may follow it. */
static enum err parse(const char *text, const struct unit *units,
                      const char *accepted, double *out, struct why *why)
{
    if (!isdigit((unsigned char)text[0]) || text[1] == 'x' || text[1] == 'X')
        return err_set(why, ERR_INVALID, "\"%s\" is not %s", text, accepted);
    char *end = NULL;
    double v = strtod(text, &end);
    while (*end == ' ')
        end++;
    for (const struct unit *u = units; u->name; u++)
        if (!strcasecmp(end, u->name)) {
            *out = v * u->factor;
            if (*out > 0x1p63 - 1024)
                return err_set(why, ERR_RANGE, "\"%s\" is too large", text);
            return ERR_OK;
        }
    return err_set(why, ERR_INVALID, "\"%s\" is not %s", text, accepted);
}

enum err units_bytes(const char *text, uint64_t *bytes, struct why *why)
{
    static const char accepted[] = "a size such as 512, 64k, 2g or 1Mi";
    double v = 0;
    enum err e = parse(text, byte_units, accepted, &v, why);
    if (e)
        return e;
    if (strpbrk(text, ".eE") || v != floor(v))
        return err_set(why, ERR_INVALID, "\"%s\" is not %s", text, accepted);
    *bytes = (uint64_t)v;
    return ERR_OK;
}

enum err units_duration(const char *text, uint64_t *ns, struct why *why)
{
    double v = 0;
    if (!strcmp(text, "0")) {
        *ns = 0;
        return ERR_OK;
    }
    enum err e =
        parse(text, time_units, "a duration such as 500ms, 10s or 5m", &v, why);
    if (!e)
        *ns = (uint64_t)llround(v);
    return e;
}

enum err units_bitrate(const char *text, uint64_t *bit_s, struct why *why)
{
    double v = 0;
    enum err e =
        parse(text, bit_units, "a link rate such as 200mbit or 1gbit", &v, why);
    if (!e)
        *bit_s = (uint64_t)llround(v);
    return e;
}

enum err units_rate(const char *text, double *per_s, char unit[16],
                    struct why *why)
{
    static const char accepted[] =
        "a rate such as 100/s, 6000/1m or \"5000 docs/s\"";
    unit[0] = '\0';
    char *end = NULL;
    double v = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
    if (!end || !(v > 0) || isinf(v))
        goto bad;
    while (*end == ' ')
        end++;
    size_t word = strcspn(end, "/");
    if (word >= 16 || (word > 0 && end[word] != '/'))
        goto bad;
    memcpy(unit, end, word);
    unit[word] = '\0';
    end += word;
    if (*end == '\0') {
        *per_s = v;
        return ERR_OK;
    }
    uint64_t ns = 1000000000;
    const char *per = end + 1;
    if (strcmp(per, "s") && strcmp(per, "m") && strcmp(per, "h")) {
        if (units_duration(per, &ns, NULL) || ns == 0)
            goto bad;
    } else if (*per != 's') {
        ns *= *per == 'm' ? 60 : 3600;
    }
    *per_s = v * 1e9 / (double)ns;
    return ERR_OK;
bad:
    return err_set(why, ERR_INVALID, "\"%s\" is not %s", text, accepted);
}

enum err units_u64(const char *text, uint64_t max, uint64_t *out,
                   struct why *why)
{
    char *end = NULL;
    errno = 0;
    unsigned long long v =
        isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end)
        return err_set(why, ERR_INVALID, "\"%s\" is not a whole number", text);
    if (errno || v > max)
        return err_set(why, ERR_RANGE, "\"%s\" is more than %llu", text,
                       (unsigned long long)max);
    *out = v;
    return ERR_OK;
}

const char *units_show_bytes(char *buf, size_t size, uint64_t bytes)
{
    static const char suffix[] = "\0kmgt";
    int i = 0;
    while (i < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    (void)snprintf(buf, size, "%llu%.1s", (unsigned long long)bytes,
                   i ? &suffix[i] : "");
    return buf;
}

const char *units_show_size(char *buf, size_t size, double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int i = 0;
    while (i < 4 && fabs(bytes) >= 1024) {
        bytes /= 1024;
        i++;
    }
    (void)snprintf(buf, size, i ? "%.2f %s" : "%.0f %s", bytes, names[i]);
    return buf;
}

const char *units_show_ns(char *buf, size_t size, double ns)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    int i = 0;
    while (i < 3 && fabs(ns) >= 1000) {
        ns /= 1000;
        i++;
    }
    (void)snprintf(buf, size, i ? "%.2f %s" : "%.0f %s", ns, names[i]);
    return buf;
}

const char *units_show_bitrate(char *buf, size_t size, uint64_t bit_s)
{
    static const char *const names[] = {"bit", "kbit", "mbit", "gbit"};
    int i = 0;
    while (i < 3 && bit_s >= 1000 && bit_s % 1000 == 0) {
        bit_s /= 1000;
        i++;
    }
    (void)snprintf(buf, size, "%llu%s", (unsigned long long)bit_s, names[i]);
    return buf;
}

const char *units_show_count(char *buf, size_t size, double count)
{
    static const char *const names[] = {"", "k", "M", "G"};
    int i = 0;
    while (i < 3 && fabs(count) >= 1000) {
        count /= 1000;
        i++;
    }
    (void)snprintf(buf, size, i ? "%.1f%s" : "%.0f%s", count, names[i]);
    return buf;
}
