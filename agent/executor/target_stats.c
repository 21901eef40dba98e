#include "agent/executor/target_stats.h"

#include <stdio.h>
#include <string.h>

#include "common/json_place.h"
#include "common/sample.h"
#include "common/units.h"

#define POINTER_MAX 200u
#define TIMES_MAX   1000000000u /* seconds to ns */

static const char *const figures[] = {
#define NAME(type, name, max, need) #name,
    SAMPLE_TARGET(NAME)
#undef NAME
};

static bool is_figure(const char *name)
{
    for (size_t i = 1; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(name, figures[i]))
            return true;
    return false;
}

static bool good_pointer(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    char times[12];
    uint64_t n = 0;
    if (digits && digits < sizeof times && text[digits] == '*') {
        (void)snprintf(times, sizeof times, "%.*s", (int)digits, text);
        if (units_u64(times, TIMES_MAX, &n, NULL) || !n)
            return false;
        text += digits + 1;
    }
    if (text[0] != '/' || !text[1] || strlen(text) > POINTER_MAX)
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

static enum err bad_name(const struct jv *v, const char *name, struct why *why)
{
    char where[300], all[300];
    size_t used = 0;
    for (size_t i = 1; i < sizeof figures / sizeof *figures; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i > 1 ? ", " : "", figures[i]);
    return err_set(why, ERR_INVALID, "%s: no figure \"%.40s\"; there are: %s",
                   jv_where(v, where, sizeof where), name, all);
}

enum err target_stats_check(const struct jv *stats, struct why *why)
{
    static const char *const keys[] = {"path", "map", NULL};
    char where[300];
    const struct jv *map = jv_get(stats, "map");
    if (!stats)
        return ERR_OK;
    enum err e = jv_only(stats, keys, why);
    if (!e &&
        (!jv_get(stats, "path") || jv_type(map) != JV_OBJECT || !jv_size(map)))
        e = err_set(
            why, ERR_INVALID,
            "%s: accepted is {\"path\": \"/stats\", \"map\": {\"docs\": "
            "\"/pointer\"}}",
            jv_where(stats, where, sizeof where));
    for (size_t i = 0; !e && i < jv_size(map); i++) {
        const char *name = "";
        const struct jv *v = jv_member(map, i, &name);
        if (!is_figure(name))
            e = bad_name(v, name, why);
        else if (!good_pointer(jv_text(v, "")))
            e = err_set(why, ERR_INVALID,
                        "%s: accepted is a JSON pointer, \"/a/b\", at most "
                        "200 bytes, with \"N*\" before it to multiply",
                        jv_where(v, where, sizeof where));
    }
    return e;
}

bool target_stats_put(struct command *c, const struct jv *stats)
{
    const struct jv *map = jv_get(stats, "map");
    bool fits = true;
    if (!stats)
        return true;
    fits = command_put(c, "", "--stats") &&
           command_put(c, "", jv_text(jv_get(stats, "path"), ""));
    for (size_t i = 0; fits && i < jv_size(map); i++) {
        const char *name = "";
        const struct jv *v = jv_member(map, i, &name);
        char before[40];
        (void)snprintf(before, sizeof before, "%s=", name);
        fits = command_put(c, "", "--map") &&
               command_put(c, before, jv_text(v, ""));
    }
    return fits;
}
