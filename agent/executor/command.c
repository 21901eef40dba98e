#include "agent/executor/command.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/gc_log.h"
#include "agent/executor/target_program.h"
#include "agent/executor/target_stats.h"

const char *command_program(enum part part)
{
    static const char *const programs[PARTS] = {
        [PART_TARGET] = "pitwall-target",
        [PART_WATCH_TARGET] = "pitwall-watch",
        [PART_LOAD] = "pitwall-load",
        [PART_WATCH_LOAD] = "pitwall-watch",
    };
    return programs[part];
}

/* Append one argument; false when it does not fit. */
static bool add(struct command *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool add(struct command *c, const char *fmt, ...)
{
    size_t room = sizeof c->text - c->used;
    if (c->n == COMMAND_ARGS_MAX || room == 0)
        return false;
    char *at = c->text + c->used;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(at, room, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= room)
        return false;
    c->used += (size_t)n + 1;
    c->argv[c->n++] = at;
    c->argv[c->n] = NULL;
    return true;
}

void command_begin(struct command *c)
{
    c->n = c->used = 0;
    c->argv[0] = NULL;
}

bool command_put(struct command *c, const char *before, const char *text)
{
    return add(c, "%s%s", before, text);
}

static bool named(const char *line, const char *equals)
{
    if (!equals || equals == line)
        return false;
    for (; line < equals; line++)
        if (!islower((unsigned char)*line) && !isdigit((unsigned char)*line) &&
            *line != '_' && *line != '.')
            return false;
    return true;
}

/* "bulk_size=500" becomes --bulk-size=500. */
static enum err add_param(struct command *c, const char *line, struct why *why)
{
    const char *equals = strchr(line, '=');
    if (!named(line, equals))
        return err_set(why, ERR_INVALID,
                       "parameter \"%.60s\"; accepted: name=value with a name "
                       "of a-z, 0-9, _ and .",
                       line);
    size_t name = (size_t)(equals - line);
    if (!add(c, "--%s", line))
        return err_set(why, ERR_RANGE, "too many parameters");
    char *arg = c->argv[c->n - 1] + 2;
    for (size_t i = 0; i < name; i++)
        if (arg[i] == '_')
            arg[i] = '-';
    return ERR_OK;
}

static enum err add_params(struct command *c, const char *lines,
                           struct why *why)
{
    while (*lines) {
        char line[2049];
        size_t n = strcspn(lines, "\n");
        if (n >= sizeof line)
            return err_set(why, ERR_RANGE, "a parameter of %zu bytes", n);
        memcpy(line, lines, n);
        line[n] = '\0';
        lines += n + (lines[n] == '\n');
        enum err e = n ? add_param(c, line, why) : ERR_OK;
        if (e)
            return e;
    }
    return ERR_OK;
}

static bool make_target(struct command *c, const struct trial_spec *spec,
                        const struct command_ground *g)
{
    bool fits = add(c, "--listen") && add(c, "%s:%u", g->address, g->port) &&
                add(c, "--gc-log") && add(c, GC_LOG_NAME);
    if (fits && spec->heap_bytes)
        fits = add(c, "--heap") && add(c, "%" PRIu64, spec->heap_bytes);
    if (fits && spec->predictor[0])
        fits = add(c, "--predictor") && add(c, "%s", spec->predictor);
    return fits;
}

/* Where the load goes: several are dealt to its clients. */
static bool add_urls(struct command *c, const struct trial_spec *spec,
                     const struct command_ground *g)
{
    const struct target_def *def = g->target;
    bool fits = true;
    for (unsigned i = 0; fits && def && i < def->n_urls; i++)
        fits = add(c, "--target") && add(c, "%s", def->urls[i]);
    if (def && def->n_urls)
        return fits;
    if (spec->target_url[0])
        return add(c, "--target") && add(c, "%s", spec->target_url);
    return add(c, "--target") && add(c, "http://%s:%u", g->address, g->port);
}

static bool make_load(struct command *c, const struct trial_spec *spec,
                      const struct command_ground *g)
{
    bool fits = add_urls(c, spec, g);
    if (fits && spec->share_of)
        fits = add(c, "--share") && add(c, "%" PRIu32 "/%" PRIu32,
                                        spec->share_index, spec->share_of);
    if (fits && spec->congestion[0])
        fits = add(c, "--congestion") && add(c, "%s", spec->congestion);
    return fits;
}

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word), n;
    for (; *list; list += n + (list[n] == ','))
        if ((n = strcspn(list, ",")) == len && !strncmp(list, word, len))
            return true;
    return false;
}

/* Where the load's watch finds the target's: the URL's host, where there is
 * one. */
static bool add_address(struct command *c, const struct trial_spec *spec,
                        const struct command_ground *g)
{
    static const char scheme[] = "http://";
    const char *url = spec->target_url;
    size_t n = strlen(scheme);
    if (!add(c, "--address"))
        return false;
    if (strncmp(url, scheme, n) != 0)
        return add(c, "%s", g->address);
    return add(c, "%.*s", (int)strcspn(url + n, ":/"), url + n);
}

/* Of several loads one asks what the link carries. */
static bool add_telemetry(struct command *c, bool target,
                          const struct trial_spec *spec,
                          const struct command_ground *g)
{
    const char *list = spec->telemetry;
    if (!*list)
        return true;
    bool reached = g->target && g->target->unmanaged; /* elsewhere */
    bool measures = has_word(list, "capacity") && !reached &&
                    (target || !spec->share_index);
    return add(c, "--telemetry") && add(c, "%s", list) &&
           (!measures || add_address(c, spec, g)) &&
           (!measures || target || !spec->congestion[0] ||
            (add(c, "--congestion") && add(c, "%s", spec->congestion)));
}

/* What a target of somebody else's is asked. */
static bool add_ready(struct command *c, const struct target_def *def)
{
    bool fits = add(c, "--ready") && add(c, "%s", def->ready);
    if (fits && def->expect[0])
        fits = add(c, "--expect") && add(c, "%s", def->expect);
    if (fits && def->last[0])
        fits = add(c, "--window");
    if (fits && def->jvm)
        fits = add(c, "--jvm");
    return fits && target_stats_put(c, jv_get(def->doc, "stats"));
}

static bool add_url(struct command *c, const struct command_ground *g)
{
    const struct target_def *def = g->target;
    bool fits = add(c, "--url");
    if (fits && def && def->n_urls)
        fits = add(c, "%s", def->urls[0]);
    else if (fits)
        fits = add(c, "http://%s:%u", g->address, g->port);
    return fits && (!def || def->contract || add_ready(c, def));
}

static bool add_needs(struct command *c, const struct target_def *def)
{
    char path[PATH_MAX];
    bool fits = true;
    for (size_t i = 0; fits && target_program_need(def, i, path, sizeof path);
         i++)
        fits = add(c, "--hash") && add(c, "target.needs.%.40s.sha256=%s",
                                       strrchr(path, '/') + 1, path);
    return fits;
}

/* Which program it was, and which configuration: the definition and its files
 * stand in the working folder. */
static bool add_hashes(struct command *c, const struct command_ground *g)
{
    const struct target_def *def = g->target;
    const struct jv *files = def ? jv_get(def->doc, "files") : NULL;
    const char *name = "";
    bool fits = true;
    if (g->program)
        fits =
            add(c, "--hash") && add(c, "target.program.sha256=%s", g->program);
    if (fits && def && def->doc)
        fits = add(c, "--hash") &&
               add(c, "target.definition.sha256=" TARGET_PRINTED);
    fits = fits && (!def || add_needs(c, def));
    for (size_t i = 0; fits && i < jv_size(files); i++) {
        (void)jv_member(files, i, &name);
        fits = add(c, "--hash") &&
               add(c, "target.file.%.40s.sha256=%s", name, name);
    }
    return fits;
}

static bool make_watch(struct command *c, bool target,
                       const struct trial_spec *spec,
                       const struct command_ground *g)
{
    bool fits = add(c, "--side") && add(c, "%s", target ? "target" : "load");
    if (fits && target)
        fits = add_url(c, g) && add_hashes(c, g);
    fits = fits && add(c, "--port") && add(c, "%u", g->port);
    fits = fits && add_telemetry(c, target, spec, g);
    return fits && (!g->plain || add(c, "--pgrp"));
}

enum err command_make(struct command *c, enum part part,
                      const struct trial_spec *spec,
                      const struct command_ground *ground, struct why *why)
{
    command_begin(c);
    bool fits = add(c, "%s", command_program(part)) && add(c, "--child");
    const char *params = "";
    if (part == PART_TARGET) {
        fits = fits && make_target(c, spec, ground);
        params = spec->target_params;
    } else if (part == PART_LOAD) {
        fits = fits && make_load(c, spec, ground);
        params = spec->load_params;
    } else {
        fits = fits && make_watch(c, part == PART_WATCH_TARGET, spec, ground);
    }
    enum err e = fits ? add_params(c, params, why)
                      : err_set(why, ERR_RANGE, "the command line is too long");
    return e ? err_wrap(why, e, "command of the %s", part_name(part)) : ERR_OK;
}
