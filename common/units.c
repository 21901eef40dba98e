#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/clock.h"

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit byte_units[] = {
    {"", 1},
    {"b", 1},
    {"k", 1u << 10},
    {"kb", 1u << 10},
    {"ki", 1u << 10},
    {"kib", 1u << 10},
    {"m", 1u << 20},
    {"mb", 1u << 20},
    {"mi", 1u << 20},
    {"mib", 1u << 20},
    {"g", 1u << 30},
    {"gb", 1u << 30},
    {"gi", 1u << 30},
    {"gib", 1u << 30},
    {"t", 1ull << 40},
    {"tb", 1ull << 40},
    {"ti", 1ull << 40},
    {"tib", 1ull << 40},
    {NULL, 0},
};

static const struct unit time_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", 60000000000},
    {"h", 3600000000000},
    {"d", 86400000000000},
    {NULL, 0},
};

static const struct unit bit_units[] = {
    {"bit", 1},           {"kbit", 1000},          {"mbit", 1000000},
    {"gbit", 1000000000}, {"tbit", 1000000000000}, {NULL, 0},
};

/* What a number may look like and what it is called when it does not. */
struct form {
    const struct unit *units;
    bool fraction; /* allowed, as long as the result is whole */
    const char *accepted;
};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static const struct unit *unit_find(const struct unit *units, const char *name)
{
    while (units->name && strcasecmp(units->name, name))
        units++;
    return units->name ? units : NULL;
}

/* v += d * factor; false beyond 2^63-1. */
static bool add(uint64_t *v, uint64_t d, uint64_t factor)
{
    uint64_t product = 0;
    return !__builtin_mul_overflow(d, factor, &product) &&
           !__builtin_add_overflow(*v, product, v) && *v <= INT64_MAX;
}

/* Digits after the point, digit by digit, so that "1.1us" is 1100 and not what
 * a double makes of it: each is worth a tenth of the one before, which must be
 * whole (ERR_INVALID), until zeros are all that may follow. */
static enum err fraction(const char *digits, uint64_t factor, uint64_t *v)
{
    for (; digit(*digits); digits++) {
        factor = factor % 10 ? 0 : factor / 10;
        if (!factor && *digits != '0')
            return ERR_INVALID;
        if (!add(v, (uint64_t)(*digits - '0'), factor))
            return ERR_RANGE;
    }
    return ERR_OK;
}

static enum err parse(const struct form *form, const char *text, uint64_t *out,
                      struct why *why)
{
    const char *point = text;
    while (digit(*point))
        point++;
    const char *end = point;
    bool pointed = form->fraction && point[0] == '.' && digit(point[1]);
    for (end += pointed; pointed && digit(*end);)
        end++;
    while (*end == ' ')
        end++;
    const struct unit *u = unit_find(form->units, end);
    if (!digit(text[0]) || !u)
        goto bad;
    uint64_t whole = 0, v = 0;
    for (const char *p = text; p < point; p++)
        if (__builtin_mul_overflow(whole, 10u, &whole) ||
            !add(&whole, (uint64_t)(*p - '0'), 1))
            goto large;
    if (!add(&v, whole, u->factor))
        goto large;
    enum err e = pointed ? fraction(point + 1, u->factor, &v) : ERR_OK;
    if (e == ERR_INVALID)
        goto bad;
    if (e == ERR_OK) {
        *out = v;
        return ERR_OK;
    }
large:
    return err_set(why, ERR_RANGE, "\"%.60s\" is too large", text);
bad:
    return err_set(why, ERR_INVALID, "\"%.60s\" is not %s", text,
                   form->accepted);
}

enum err units_bytes(const char *text, uint64_t *bytes, struct why *why)
{
    static const struct form form = {byte_units, false,
                                     "a size such as 512, 64k, 2g or 1Mi"};
    return parse(&form, text, bytes, why);
}

enum err units_duration(const char *text, uint64_t *ns, struct why *why)
{
    static const struct form form = {time_units, true,
                                     "a duration such as 500ms, 10s or 5m"};
    if (!strcmp(text, "0")) {
        *ns = 0;
        return ERR_OK;
    }
    return parse(&form, text, ns, why);
}

enum err units_bitrate(const char *text, uint64_t *bit_s, struct why *why)
{
    static const struct form form = {bit_units, true,
                                     "a link rate such as 200mbit or 1gbit"};
    return parse(&form, text, bit_s, why);
}

/* A decimal number of any size; strtod would also read hex and exponents, and
 * obey the locale. NULL when there is none. */
static const char *decimal(const char *text, double *v)
{
    double tenth = 1;
    *v = 0;
    if (!digit(text[0]))
        return NULL;
    for (; digit(*text); text++)
        *v = *v * 10 + (*text - '0');
    if (text[0] != '.' || !digit(text[1]))
        return text;
    double digits = 0;
    for (text++; digit(*text); text++) {
        digits = digits * 10 + (*text - '0');
        tenth *= 10;
    }
    *v += digits / tenth;
    return text;
}

/* The length in ns of what stands after the "/": a unit alone is one of it. */
static bool rate_period(const char *text, uint64_t *ns)
{
    const struct unit *u = unit_find(time_units, text);
    if (u) {
        *ns = u->factor;
        return true;
    }
    return units_duration(text, ns, NULL) == ERR_OK && *ns > 0;
}

enum err units_rate(const char *text, double *per_s, char unit[16],
                    struct why *why)
{
    uint64_t ns = NS_PER_S;
    double v = 0;
    const char *end = decimal(text, &v);
    unit[0] = '\0';
    if (!end || !(v > 0) || !isfinite(v))
        goto bad;
    size_t word = 0, spaces = strspn(end, " ");
    end += spaces;
    while (spaces && (isalnum((unsigned char)end[word]) || end[word] == '_'))
        word++;
    if (word >= 16 || (end[word] != '/' && (word || end[word])) ||
        (end[word] == '/' && !rate_period(end + word + 1, &ns)))
        goto bad;
    memcpy(unit, end, word);
    unit[word] = '\0';
    *per_s = v * 1e9 / (double)ns;
    return ERR_OK;
bad:
    return err_set(why, ERR_INVALID,
                   "\"%.60s\" is not a rate such as 100/s, 6000/1m or "
                   "\"5000 docs/s\"",
                   text);
}

enum err units_ratio(const char *text, double *ratio, struct why *why)
{
    char *end = NULL;
    double v = digit(text[0]) ? strtod(text, &end) : NAN;
    /* strtod would also read "0x2", "1e9" and "2nd" up to its n. */
    bool plain = end && strspn(text, "0123456789.") == (size_t)(end - text);
    bool percent = plain && *end == '%';
    if (!plain || end[percent])
        return err_set(why, ERR_INVALID,
                       "\"%s\" is no share such as 2%% or 0.02", text);
    v /= percent ? 100 : 1;
    if (v > 1)
        return err_set(why, ERR_RANGE, "\"%s\" is more than 100%%", text);
    *ratio = v;
    return ERR_OK;
}

enum err units_u64(const char *text, uint64_t max, uint64_t *out,
                   struct why *why)
{
    char *end = NULL;
    errno = 0;
    unsigned long long v =
        isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end)
        return err_set(why, ERR_INVALID, "\"%.60s\" is not a whole number",
                       text);
    if (errno || v > max)
        return err_set(why, ERR_RANGE, "\"%.60s\" is more than %llu", text,
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

/* Divided by step until it prints with fewer digits than step has, names[i]
 * behind it; the bound is the printed value, so that nothing shows as "1000.00
 * us". The last of four or five names takes what is left. */
struct scale {
    double step;
    int decimals, last;
    const char *names[5];
};

static const char *show(char *buf, size_t size, const struct scale *s, double v)
{
    int i = 0;
    double half = 0.5; /* of the last printed digit */
    while (i < s->last && fabs(v) >= s->step - half) {
        v /= s->step;
        i++;
        half = s->decimals == 2 ? 0.005 : 0.05;
    }
    (void)snprintf(buf, size, "%.*f%s", i ? s->decimals : 0, v, s->names[i]);
    return buf;
}

const char *units_show_size(char *buf, size_t size, double bytes)
{
    static const struct scale scale = {
        1024, 2, 4, {" B", " KiB", " MiB", " GiB", " TiB"}};
    return show(buf, size, &scale, bytes);
}

const char *units_show_ns(char *buf, size_t size, double ns)
{
    static const struct scale scale = {1000, 2, 3, {" ns", " us", " ms", " s"}};
    return show(buf, size, &scale, ns);
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
    static const struct scale scale = {1000, 1, 3, {"", "k", "M", "G"}};
    return show(buf, size, &scale, count);
}
