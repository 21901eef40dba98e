#include "agent/watch/stats_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/text.h"
#include "common/units.h"

#define TOKEN_MAX  128
#define SHOWN      60
#define TIMES_MAX  1000000000u
#define NUMBER_MAX 9.2e18 /* below 2^63, which the store can hold */

static const struct wire_field *field_of(const char *name, size_t len)
{
    size_t n = 0;
    const struct wire_field *fields =
        record_fields(RECORD_IS_sample_target, &n);
    for (size_t i = 0; i < n; i++)
        if (fields[i].type == WIRE_U64 && strlen(fields[i].name) == len &&
            !memcmp(fields[i].name, name, len))
            return &fields[i];
    return NULL;
}

enum err stats_map_add(struct stats_map *map, const char *text, struct why *why)
{
    const char *equals = strchr(text, '=');
    const struct wire_field *field =
        equals ? field_of(text, (size_t)(equals - text)) : NULL;
    uint64_t times = 1;
    if (!field || map->n == STATS_MAP_MAX)
        return err_set(why, ERR_USAGE,
                       "map \"%.80s\": at most %u of FIGURE=POINTER", text,
                       STATS_MAP_MAX);
    const char *pointer = equals + 1;
    size_t digits = strspn(pointer, "0123456789");
    char number[12] = "";
    if (digits && digits < sizeof number && pointer[digits] == '*') {
        memcpy(number, pointer, digits);
        number[digits] = '\0';
        pointer += digits + 1;
        if (units_u64(number, TIMES_MAX, &times, NULL))
            times = 0;
    }
    if (*pointer != '/' || !times)
        return err_set(why, ERR_USAGE, "map \"%.80s\": not a JSON pointer",
                       text);
    map->rows[map->n++] = (struct stats_map_row){field, times, pointer};
    return ERR_OK;
}

/* The pointer's next token, with ~1 and ~0 undone; where it goes on. */
static const char *take_token(const char *pointer, char token[TOKEN_MAX])
{
    size_t n = 0;
    for (pointer++; *pointer && *pointer != '/'; pointer++) {
        char c = *pointer;
        if (c == '~' && (pointer[1] == '0' || pointer[1] == '1'))
            c = *++pointer == '0' ? '~' : '/';
        if (n < TOKEN_MAX - 1)
            token[n++] = c;
    }
    token[n] = '\0';
    return pointer;
}

static const struct jv *step(const struct jv *v, const char *token)
{
    uint64_t i = 0;
    if (jv_type(v) == JV_ARRAY)
        return units_u64(token, 1u << 20, &i, NULL) ? NULL
                                                    : jv_at(v, (size_t)i);
    return jv_get(v, token);
}

static const struct jv *child(const struct jv *v, size_t i)
{
    const char *key;
    return jv_type(v) == JV_ARRAY ? jv_at(v, i) : jv_member(v, i, &key);
}

/* Add up what pointer finds below v. Each turn down is a token of a pointer of
 * at most 200 bytes, and no deeper than the document. False: no number. */
static bool add_up(const struct jv *v, const char *pointer, double *sum)
{
    char token[TOKEN_MAX];
    while (v && *pointer) {
        pointer = take_token(pointer, token);
        if (strcmp(token, "*") != 0) {
            v = step(v, token);
            continue;
        }
        size_t n = jv_size(v);
        for (size_t i = 0; i < n; i++)
            if (!add_up(child(v, i), pointer, sum))
                return false;
        return n > 0;
    }
    double number = jv_type(v) == JV_NUMBER ? jv_number(v, -1) : -1;
    *sum += number;
    return number >= 0;
}

/* What came instead of JSON, for the complaint. */
static enum err no_json(const char *text, size_t len, struct why *why)
{
    char start[SHOWN + 1];
    size_t n = len < SHOWN ? len : SHOWN;
    memcpy(start, text, n);
    start[n] = '\0';
    text_clean(start, n);
    for (size_t i = 0; i < n; i++)
        if (start[i] == '\n' || start[i] == '\t')
            start[i] = ' ';
    return err_set(why, ERR_INVALID, "the answer is no JSON: \"%s%s\"", start,
                   len > n ? "..." : "");
}

static enum err read_row(const struct stats_map_row *row, const struct jv *root,
                         struct record_sample_target *out, struct why *why)
{
    double sum = 0;
    if (!add_up(root, row->pointer, &sum))
        return err_set(why, ERR_INVALID,
                       "%s: the answer has no number from 0 up at %s",
                       row->field->name, row->pointer);
    sum = floor(sum * (double)row->times);
    uint64_t value = sum < NUMBER_MAX ? (uint64_t)sum : (uint64_t)NUMBER_MAX;
    memcpy((char *)out + row->field->offset, &value, sizeof value);
    return ERR_OK;
}

enum err stats_map_read(const struct stats_map *map, const char *text,
                        size_t len, struct record_sample_target *out,
                        struct why *why)
{
    struct jv *root = NULL;
    *out = (struct record_sample_target){0};
    enum err e = jv_parse(&root, "statistics", text, len, why);
    if (e && e != ERR_NOMEM)
        return no_json(text, len, why);
    for (size_t i = 0; !e && i < map->n; i++)
        e = read_row(&map->rows[i], root, out, why);
    jv_free(root);
    return e;
}

bool stats_map_has(const struct stats_map *map, const char *figure)
{
    for (size_t i = 0; i < map->n; i++)
        if (!strcmp(map->rows[i].field->name, figure))
            return true;
    return false;
}

const char *stats_map_names(const struct stats_map *map, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < map->n && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "," : "",
                                 map->rows[i].field->name);
    return buf;
}
