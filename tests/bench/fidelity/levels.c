#include "tests/bench/fidelity/levels.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"

const char *levels_lacking(const struct row *row)
{
    if (strcmp(row->gc, "serial") != 0)
        return "the target has Serial alone";
    if (row->service_delay_ms)
        return "the target has no service time to set";
    if (row->hdr_count)
        return "the load sends no headers of its own in a trial";
    return NULL;
}

static void add(struct levels *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add(struct levels *l, const char *fmt, ...)
{
    char *at = l->text[l->n];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(at, LEVELS_TEXT_MAX, fmt, ap);
    va_end(ap);
    l->argv[l->n++] = at;
}

/* A factor of one level. */
static void factor(struct levels *l, const char *name, const char *level)
{
    add(l, "-m");
    add(l, "%s=%s", name, level);
}

static void number(struct levels *l, const char *name, uint64_t value)
{
    add(l, "-m");
    add(l, "%s=%" PRIu64, name, value);
}

/* "fixed64k" and "adapt1k-512k" as the factor writes them; the runs named cold
 * had 64k as the initial size. */
static void predictor(struct levels *l, const struct row *row)
{
    char level[2 * ROW_TEXT], low[ROW_TEXT];
    const char *sizes = row->predictor + strlen("adapt");
    if (strncmp(row->predictor, "adapt", 5) != 0) {
        (void)snprintf(level, sizeof level, "fixed:%s", sizes);
    } else if (strncmp(row->phase, "cold", 4) != 0) {
        (void)snprintf(level, sizeof level, "adaptive:%s", sizes);
    } else {
        (void)snprintf(low, sizeof low, "%s", sizes);
        low[strcspn(low, "-")] = '\0';
        (void)snprintf(level, sizeof level, "adaptive:%s-64k%s", low,
                       strchr(sizes, '-') ? strchr(sizes, '-') : "");
    }
    factor(l, "predictor", level);
}

static void link_of(struct levels *l, const struct row *row)
{
    static const struct {
        const char *name, *level;
    } links[] = {
        {"lo", "loopback"},
        {"eth", "veth:mtu=1500+offloads=off"},
        {"eth1g", "veth:mtu=1500+rate=1gbit+burst=32kb+offloads=off"},
        {"eth200m", "veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off"}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (!strcmp(row->link, links[i].name))
            factor(l, "link", links[i].level);
}

static void target(struct levels *l, const struct row *row)
{
    number(l, "target.threads", row->workers);
    number(l, "target.max_components", row->max_components);
    number(l, "target.reads_per_wakeup", row->max_messages_per_read);
    number(l, "target.initial_buffer", row->initial_buffer_size);
    if (row->es_body_copy)
        factor(l, "target.body_copy", "on");
    if (row->parse_work) {
        number(l, "target.parse_work", row->parse_work);
        number(l, "target.bulk_threads", 2);
    }
}

enum err levels_make(struct levels *levels, const struct row *row,
                     const struct levels_ground *ground, struct why *why)
{
    const char *const paths[] = {ground->pitwall, ground->track, ground->db};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strlen(paths[i]) >= LEVELS_TEXT_MAX)
            return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long",
                           paths[i]);
    *levels = (struct levels){.n = 0};
    add(levels, "%s", ground->pitwall);
    add(levels, "run");
    add(levels, "--track");
    add(levels, "%s", ground->track);
    add(levels, "--db");
    add(levels, "%s", ground->db);
    add(levels, "--quiet");
    add(levels, "--retries=0");
    add(levels, "--accept=all=off");
    add(levels, "--iterations=1");
    add(levels, "--warmup=%" PRIu64 "ms",
        (uint64_t)(ground->warmup_ns / NS_PER_MS));
    add(levels, "--measure=%" PRIu64 "ms",
        (uint64_t)(ground->measure_ns / NS_PER_MS));
    add(levels, "-m");
    add(levels, "heap=%" PRIu64 "m", row->heap_mb);
    predictor(levels, row);
    factor(levels, "rmem", row->rmem);
    link_of(levels, row);
    target(levels, row);
    return ERR_OK;
}
