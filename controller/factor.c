#include "controller/factor.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "controller/devices.h"
#include "controller/kernel.h"
#include "controller/link.h"
#include "controller/param.h"
#include "controller/target.h"

/* Adapters from the table's one shape to the grammars. */
#define WHOLE(name, grammar)                                                   \
    static enum err name(struct setup *setup, const char *param,               \
                         const char *value, struct why *why)                   \
    {                                                                          \
        (void)param;                                                           \
        return grammar(value, &setup->spec, why);                              \
    }

WHOLE(parse_heap, target_heap)
WHOLE(parse_predictor, target_predictor)
WHOLE(parse_rmem, kernel_rmem)
WHOLE(parse_congestion, kernel_congestion)
WHOLE(parse_pin, kernel_pin)
WHOLE(parse_link, link_parse)

static enum err parse_target(struct setup *setup, const char *param,
                             const char *value, struct why *why)
{
    (void)param;
    return setup_copy(setup->spec.target, sizeof setup->spec.target, "target",
                      value, why);
}

static enum err parse_track(struct setup *setup, const char *param,
                            const char *value, struct why *why)
{
    (void)param;
    return setup_copy(setup->track, sizeof setup->track, "track", value, why);
}

static enum err parse_challenge(struct setup *setup, const char *param,
                                const char *value, struct why *why)
{
    (void)param;
    return setup_copy(setup->challenge, sizeof setup->challenge, "challenge",
                      value, why);
}

static enum err parse_track_param(struct setup *setup, const char *param,
                                  const char *value, struct why *why)
{
    return setup_param(setup, param, value, why);
}

static enum err parse_target_param(struct setup *setup, const char *param,
                                   const char *value, struct why *why)
{
    return param_target(param, value, &setup->spec, why);
}

static enum err parse_load_param(struct setup *setup, const char *param,
                                 const char *value, struct why *why)
{
    return param_load(param, value, &setup->spec, why);
}

static enum err parse_telemetry(struct setup *setup, const char *param,
                                const char *value, struct why *why)
{
    (void)param;
    return devices_level(value, setup->spec.telemetry,
                         sizeof setup->spec.telemetry, why);
}

static enum err parse_sysctl(struct setup *setup, const char *param,
                             const char *value, struct why *why)
{
    return kernel_sysctl(param, value, &setup->spec, why);
}

static enum err parse_limit(struct setup *setup, const char *param,
                            const char *value, struct why *why)
{
    return kernel_limit(param, value, &setup->spec, why);
}

static enum err parse_nic(struct setup *setup, const char *param,
                          const char *value, struct why *why)
{
    return link_nic(param, value, &setup->spec, why);
}

static const struct factor table[] = {
    {"heap", FACTOR_TARGET, parse_heap, "1g", "256m,2g"},
    {"predictor", FACTOR_TARGET, parse_predictor, "fixed:64k",
     "fixed:64k,adaptive:1k-512k,adaptive:1k-2k-512k"},
    {"rmem", FACTOR_KERNEL, parse_rmem, "default",
     "default,low,high,10240:87380:16777216"},
    {"link", FACTOR_LINK, parse_link, "loopback",
     "loopback,eth200@veth:mtu=1500+rate=200mbit+offloads=off"},
    {"target", FACTOR_TARGET, parse_target, "pitwall",
     "names of targets that the agent has"},
    {"track", FACTOR_TRACK, parse_track, NULL, "names or files of tracks"},
    {"challenge", FACTOR_TRACK, parse_challenge, NULL,
     "names of the track's challenges"},
    {"telemetry", FACTOR_KERNEL, parse_telemetry, NULL,
     "none,link+tcp+cpu+disk+proc+target"},
    {"pin", FACTOR_KERNEL, parse_pin, NULL, "auto,none,0-1+3"},
    {"congestion", FACTOR_KERNEL, parse_congestion, NULL, "cubic,bbr"},
    {"track.", FACTOR_TRACK, parse_track_param, NULL,
     "track.bulk_size=500,5000"},
    {"load.", FACTOR_LOAD, parse_load_param, NULL, "load.clients=1,2,4,8"},
    {"target.", FACTOR_TARGET, parse_target_param, NULL,
     "target.initial_buffer=128,4096"},
    {"sysctl.", FACTOR_KERNEL, parse_sysctl, NULL,
     "sysctl.net.ipv4.tcp_no_metrics_save=0,1"},
    {"limit.", FACTOR_KERNEL, parse_limit, NULL,
     "limit.memory=512m,2g limit.cpus=0.5,2 limit.pids=4096"},
    {"nic.", FACTOR_LINK, parse_nic, NULL,
     "nic.mtu=1500,9000 nic.offloads=on,off nic.rx-gro=off"},
};

#define N_TABLE (sizeof table / sizeof *table)

/* Edits (insert, delete, change) that make a of b: Levenshtein, one row. */
static size_t distance(const char *a, const char *b)
{
    size_t row[SETUP_NAME_MAX + 2], len = strlen(b);
    if (len > SETUP_NAME_MAX)
        return len;
    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < len; j++) {
            size_t change = corner + (a[i] != b[j]);
            size_t gap = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            corner = row[j + 1];
            row[j + 1] = change < gap ? change : gap;
        }
    }
    return row[len];
}

/* Near: at most two edits, or one is the other's beginning. */
static bool is_near(const char *name, const struct factor *factor)
{
    size_t len = strlen(name);
    return distance(name, factor->name) <= 2 ||
           (len >= 2 && !strncmp(name, factor->name, len));
}

static enum err unknown(const char *name, struct why *why)
{
    char all[320];
    size_t used = 0, near = 0;
    for (int pass = 0; pass < 2 && !near; pass++)
        for (size_t i = 0; i < N_TABLE; i++) {
            if (pass == 0 && !is_near(name, &table[i]))
                continue;
            size_t len = strlen(table[i].name);
            int n = snprintf(all + used, sizeof all - used, "%s%s%s",
                             used ? ", " : "", table[i].name,
                             table[i].name[len - 1] == '.' ? "X" : "");
            used += n > 0 ? (size_t)n : 0;
            near += pass == 0;
        }
    return err_set(why, ERR_INVALID, "unknown factor \"%.64s\"; %s: %s", name,
                   near ? "near it" : "there are", all);
}

static enum err check_param(const char *name, const char *param,
                            struct why *why)
{
    size_t len = strlen(param);
    if (len && len <= SETUP_NAME_MAX &&
        strspn(param, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == len)
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "factor \"%.64s\": the part after the first dot is 1 to %u "
                   "of a-z, 0-9, _, - and .",
                   name, SETUP_NAME_MAX);
}

enum err factor_find(const char *name, const struct factor **factor,
                     const char **param, struct why *why)
{
    for (size_t i = 0; i < N_TABLE; i++) {
        size_t len = strlen(table[i].name);
        bool prefix = table[i].name[len - 1] == '.';
        if (prefix ? strncmp(name, table[i].name, len)
                   : strcmp(name, table[i].name))
            continue;
        *factor = &table[i];
        *param = name + len;
        return prefix ? check_param(name, *param, why) : ERR_OK;
    }
    return unknown(name, why);
}

const char *factor_kind_name(enum factor_kind kind)
{
    static const char *const names[] = {"target", "link", "kernel", "load",
                                        "track"};
    assert((size_t)kind < sizeof names / sizeof *names);
    return names[kind];
}

enum err factor_set(const char *name, const char *value, struct setup *setup,
                    struct why *why)
{
    const struct factor *factor = NULL;
    const char *param = "";
    enum err e = factor_find(name, &factor, &param, why);
    if (e)
        return e;
    e = factor->parse(setup, param, value, why);
    return e ? err_wrap(why, e, "%s", name) : ERR_OK;
}

void factor_defaults(struct setup *setup)
{
    memset(setup, 0, sizeof *setup);
    for (size_t i = 0; i < N_TABLE; i++)
        if (table[i].otherwise) {
            enum err e = table[i].parse(setup, "", table[i].otherwise, NULL);
            assert(e == ERR_OK);
        }
}

const char *factor_help(char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < N_TABLE && used < size; i++) {
        size_t len = strlen(table[i].name);
        char name[16];
        if (!table[i].examples)
            continue;
        (void)snprintf(name, sizeof name, "%s%s", table[i].name,
                       table[i].name[len - 1] == '.' ? "X" : "");
        int n = snprintf(buf + used, size - used, "  %-11s %s\n", name,
                         table[i].examples);
        used += n > 0 ? (size_t)n : 0;
    }
    return buf;
}
