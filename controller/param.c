#include "controller/param.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/stall.h"
#include "common/units.h"

enum form { SIZE, COUNT, RATE, LASTING, SLOW, STALL, WORD };

struct known {
    const char *name;
    enum form form;
    uint64_t min, max;    /* SIZE, COUNT; LASTING, SLOW: ns */
    const char *words[2]; /* WORD: one of these */
};

/* As pitwall-target's own options take them (target/settings.c). */
static const struct known of_target[] = {
    {"initial_buffer", COUNT, 1, 1u << 20, {NULL}},
    {"young", SIZE, 1, 1ull << 40, {NULL}},
    {"min_tlab", SIZE, 1, 64u << 20, {NULL}},
    {"pretouch", WORD, 0, 0, {"young", "all"}},
    {"reads_per_wakeup", WORD, 0, 0, {"1", "16"}},
    {"max_components", COUNT, 2, 1u << 20, {NULL}},
    {"body_copy", WORD, 0, 0, {"on", "off"}},
    {"threads", COUNT, 1, 64, {NULL}},
    {"bulk_threads", COUNT, 1, 64, {NULL}},
    {"bulk_queue", COUNT, 1, 1u << 20, {NULL}},
    {"parse_work", COUNT, 0, 1024, {NULL}},
    {"index", WORD, 0, 0, {"fts", "none"}},
    {"shards", COUNT, 1, 64, {NULL}},
    {"durability", WORD, 0, 0, {"request", "async"}},
    {"native_limit", SIZE, 0, 1ull << 40, {NULL}},
    {"netty_rules", WORD, 0, 0, {"4.1.7", "4.1.48"}},
    {"stall", STALL, 0, 0, {NULL}},
    {"slow", SLOW, 0, 60 * NS_PER_S, {NULL}},
};

static const struct known of_load[] = {
    {"clients", COUNT, 1, 10000, {NULL}},
    {"threads", COUNT, 1, 1024, {NULL}},
    {"requests_per_connection", COUNT, 0, UINT32_MAX, {NULL}},
    {"request_timeout", LASTING, 1, 24 * 3600 * NS_PER_S, {NULL}},
    {"rate", RATE, 0, 0, {NULL}},
    {"arrival", WORD, 0, 0, {"fixed", "poisson"}},
    {"engine", WORD, 0, 0, {"raw", "curl"}},
    {"provider", WORD, 0, 0, {"file", "static"}},
    {"memory", SIZE, 1, 1ull << 40, {NULL}},
};

static enum err one_of(const char *value, const char *a, const char *b,
                       struct why *why)
{
    if (!strcmp(value, a) || !strcmp(value, b))
        return ERR_OK;
    return err_set(why, ERR_INVALID, "\"%s\" is not %s or %s", value, a, b);
}

static enum err check_lasting(const struct known *k, const char *value,
                              struct why *why)
{
    uint64_t ns = 0;
    if (units_duration(value, &ns, why) || ns < k->min || ns > k->max)
        return err_set(why, ERR_RANGE, "\"%s\": accepted: a time%s up to %llus",
                       value, k->min ? " above 0," : "",
                       (unsigned long long)(k->max / NS_PER_S));
    return ERR_OK;
}

static enum err check_form(const struct known *k, const char *value,
                           struct why *why)
{
    uint64_t v = 0;
    double per_s = 0;
    char unit[16];
    enum err e = ERR_OK;
    switch (k->form) {
    case WORD:
        return one_of(value, k->words[0], k->words[1], why);
    case RATE:
        return units_rate(value, &per_s, unit, why);
    case STALL:
        return stall_parse(value, &(struct stall){0}, why);
    case SLOW:
        return strchr(value, '%') ? units_ratio(value, &per_s, why)
                                  : check_lasting(k, value, why);
    case SIZE:
        e = units_bytes(value, &v, why);
        break;
    case LASTING:
        return check_lasting(k, value, why);
    case COUNT:
        e = units_u64(value, k->max, &v, why);
        break;
    }
    if (!e && (v < k->min || v > k->max))
        e = err_set(why, ERR_RANGE, "\"%s\" is not within %llu and %llu", value,
                    (unsigned long long)k->min, (unsigned long long)k->max);
    return e;
}

/* The row called name; without one, all names in names (size bytes). */
static const struct known *find(const struct known *table, size_t n,
                                const char *name, char *names, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(table[i].name, name))
            return &table[i];
        int len = snprintf(names + used, size - used, "%s%s", i ? ", " : "",
                           table[i].name);
        used += len > 0 ? (size_t)len : 0;
    }
    return NULL;
}

enum err param_target(const char *name, const char *value,
                      struct trial_spec *spec, struct why *why)
{
    return setup_line(spec->target_params, sizeof spec->target_params, name,
                      value, why);
}

static enum err check_target(const char *name, const char *value,
                             struct why *why)
{
    char names[256];
    const struct known *k =
        find(of_target, sizeof of_target / sizeof *of_target, name, names,
             sizeof names);
    enum err e =
        k ? check_form(k, value, why)
          : err_set(why, ERR_INVALID,
                    "the target pitwall has no setting \"%s\"; it has: %s",
                    name, names);
    return e ? err_wrap(why, e, "target.%s", name) : ERR_OK;
}

enum err param_check(const struct trial_spec *spec, struct why *why)
{
    enum err e = ERR_OK;
    for (const char *line = spec->target_params; !e && *line;) {
        size_t len = strcspn(line, "\n"), name_len = strcspn(line, "=\n");
        char name[SETUP_NAME_MAX + 1], value[SETUP_VALUE_MAX + 1];
        (void)snprintf(name, sizeof name, "%.*s", (int)name_len, line);
        (void)snprintf(value, sizeof value, "%.*s",
                       len > name_len ? (int)(len - name_len - 1) : 0,
                       line + name_len + (len > name_len));
        e = check_target(name, value, why);
        line += len + (line[len] == '\n');
    }
    return e;
}

enum err param_load(const char *name, const char *value,
                    struct trial_spec *spec, struct why *why)
{
    char names[256];
    const struct known *k = find(of_load, sizeof of_load / sizeof *of_load,
                                 name, names, sizeof names);
    if (!k)
        return err_set(why, ERR_INVALID,
                       "load has no setting \"%s\"; it has: %s", name, names);
    enum err e = check_form(k, value, why);
    return e ? e
             : setup_line(spec->load_params, sizeof spec->load_params, name,
                          value, why);
}
