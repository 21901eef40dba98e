#include "controller/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "controller/estimate.h"
#include "controller/maps.h"
#include "controller/progress.h"

#define HOUR_S 3600
#define DAY_S  86400

static void note_axis(const struct axis *axis, struct grid *grid)
{
    char text[512];
    size_t used = 0;
    for (size_t i = 0; i < axis->n_levels && used < sizeof text; i++) {
        const struct level *l = &axis->levels[i];
        bool own = strcmp(l->label, l->value) != 0;
        int n =
            snprintf(text + used, sizeof text - used, "%s%s%s%s", i ? ", " : "",
                     own ? l->label : "", own ? "@" : "", l->value);
        used += n > 0 ? (size_t)n : 0;
    }
    grid_note(grid, "factor %s: %s", axis->name, text);
}

static void notes(const struct trials *t, const struct labs *labs,
                  const struct ceiling_plans *ceilings, struct grid *grid)
{
    const struct experiment *ex = t->ex;
    char left[32], warmup[24], measure[24], more[64], names[400];
    unsigned at_once = labs->n ? labs->n : 1;
    struct estimate estimate;
    estimate_init(&estimate, ex->warmup_ns, ex->measure_ns);
    grid_note(grid, "experiment \"%s\": track %s%s%s, target %s", ex->name,
              ex->track, ex->challenge[0] ? ", challenge " : "", ex->challenge,
              ex->target);
    grid_note(
        grid, "%u cells%s x %u iterations = %u trials on %s",
        (uint32_t)t->matrix.n_cells,
        trials_more(t, " + canary (cell 1 again, hidden)", more, sizeof more),
        t->n_blocks, trials_count(t),
        labs->n ? labs_names(labs, names, sizeof names) : "one bench");
    if (labs->n > 1)
        grid_note(
            grid,
            "%u benches side by side: each takes whole blocks, in turn as "
            "below; one that is free sooner takes the next block",
            labs->n);
    if (t->extra)
        grid_note(grid, "extra: each cell again under telemetry that costs "
                        "time; their speed enters no figure");
    grid_note(grid, "order %s, seed %" PRIu64, order_name(ex->order), ex->seed);
    for (size_t a = 0; a < ex->n_axes; a++)
        note_axis(&ex->axes[a], grid);
    grid_note(grid, "each %s warm-up + %s measured, about %s in all",
              units_show_ns(warmup, sizeof warmup, (double)ex->warmup_ns),
              units_show_ns(measure, sizeof measure, (double)ex->measure_ns),
              progress_time(estimate_left_ns(&estimate, trials_count(t), 0, 0) /
                                    at_once +
                                ceiling_plans_ns(ceilings),
                            left, sizeof left));
    for (uint32_t i = 0; i < ceilings->n; i++)
        grid_note(grid,
                  "first the driver's ceiling over %s, %s: %s warm-up + %s",
                  ceilings->items[i].link, ceilings->items[i].load,
                  units_show_ns(warmup, sizeof warmup,
                                (double)ceilings->times.warmup_ns),
                  units_show_ns(measure, sizeof measure,
                                (double)ceilings->times.measure_ns));
}

static void add_count(struct grid *grid, size_t row, size_t column, uint32_t v)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", v);
    grid_value(grid, row, column, v, text);
}

void describe_trials(const struct trials *t, const struct labs *labs,
                     const struct ceiling_plans *ceilings, struct grid *grid)
{
    char label[TRIALS_LABEL_MAX + 1];
    notes(t, labs, ceilings, grid);
    grid_column(grid, "trial", "", true);
    grid_column(grid, "block", "", true);
    grid_column(grid, "cell", "", false);
    grid_column(grid, "note", "", false);
    if (labs->n > 1)
        grid_column(grid, "bench", "", false);
    for (uint32_t i = 0; i < trials_count(t); i++) {
        uint32_t cell = t->order[i];
        enum trials_kind kind = trials_kind(t, cell);
        size_t row = grid_row(grid);
        add_count(grid, row, 0, i + 1);
        add_count(grid, row, 1, i / t->n_cells + 1);
        grid_text(grid, row, 2, trials_label(t, cell, label, sizeof label));
        if (kind == TRIALS_CANARY)
            grid_text(grid, row, 3, "canary");
        if (kind == TRIALS_EXTRA)
            grid_text(grid, row, 3, "extra");
        if (labs->n > 1)
            grid_text(grid, row, 4,
                      labs->items[i / t->n_cells % labs->n]->name);
    }
}

void describe_targets(struct grid *grid, const struct msg_hello_reply *agent)
{
    char targets[2048];
    grid_note(grid, "targets of %s and what they map: %s", agent->name,
              maps_show(agent, targets, sizeof targets));
}

static const char *const columns[] = {
    "agent",   "url",     "version",  "roles",      "cpus",
    "memory",  "targets", "features", "missing",    "lease",
    "machine", "links",   "clock",    "certificate"};

void describe_agents(struct grid *grid)
{
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        grid_column(grid, columns[c], "", c == 4 || c == 5);
}

/* "machine of lab1: governor performance; turbo off" from the facts whose names
 * begin with group and a dot; the long list of features aside. */
static void note_facts(struct grid *grid, const struct msg_hello_reply *hello,
                       const char *group)
{
    char text[2048];
    size_t used = 0, n = strlen(group);
    for (const char *line = hello->facts; *line && used < sizeof text;) {
        size_t len = strcspn(line, "\n"), equals = strcspn(line, "=\n");
        if (!strncmp(line, group, n) && line[n] == '.' && equals < len &&
            strncmp(line + n, ".features=", 10) != 0) {
            int m =
                snprintf(text + used, sizeof text - used, "%s%.*s %.*s",
                         used ? "; " : "", (int)(equals - n - 1), line + n + 1,
                         (int)(len - equals - 1), line + equals + 1);
            used += m > 0 ? (size_t)m : 0;
        }
        line += len + (line[len] == '\n');
    }
    if (used)
        grid_note(grid, "%s of %s: %s", group, hello->name, text);
}

void describe_agent(struct grid *grid, const char *url,
                    const struct msg_hello_reply *hello, const char *text)
{
    char size[24], targets[2048];
    size_t row = grid_row(grid);
    grid_text(grid, row, 1, url);
    if (!hello) {
        grid_text(grid, row, 0, "unreachable");
        grid_text(grid, row, 8, text);
        return;
    }
    grid_text(grid, row, 0, hello->name);
    grid_text(grid, row, 2, hello->version);
    grid_text(grid, row, 3, hello->roles);
    add_count(grid, row, 4, hello->cpus);
    grid_value(grid, row, 5, (double)hello->memory_bytes,
               units_show_size(size, sizeof size, (double)hello->memory_bytes));
    grid_text(grid, row, 6, maps_show(hello, targets, sizeof targets));
    grid_text(grid, row, 7, hello->features);
    grid_text(grid, row, 8, hello->missing);
    note_facts(grid, hello, "machine");
    note_facts(grid, hello, "interface");
}

void describe_settled(struct grid *grid, const struct msg_settled *settled)
{
    char text[600], left[24];
    size_t row = grid->n_rows - 1;
    unsigned n = 0;
    for (const char *c = settled->changes; *c; c++)
        n += *c == '\n';
    if (settled->owner[0]) {
        (void)snprintf(
            text, sizeof text, "%.8s for %s", settled->owner,
            units_show_ns(left, sizeof left, (double)settled->left_ns));
        grid_text(grid, row, 9, text);
    }
    if (settled->held[0])
        (void)snprintf(text, sizeof text, "held: %s", settled->held);
    else if (n)
        (void)snprintf(text, sizeof text,
                       "%u settings changed for attempt %s, to be put back", n,
                       settled->attempt);
    else
        (void)snprintf(text, sizeof text, "as it was");
    grid_text(grid, row, 10, text);
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return false;
}

/* "loopback, veth, ethernet (eth1)". */
static void show_links(const struct msg_hello_reply *hello, char *buf,
                       size_t size)
{
    static const char dev[] = "interface.dev=";
    const char *line = strstr(hello->facts, dev);
    int n = snprintf(buf, size, "loopback%s",
                     has_word(hello->features, "netns") ||
                             has_word(hello->features, "userns")
                         ? ", veth"
                         : "");
    if (line && n > 0 && (size_t)n < size)
        (void)snprintf(buf + n, size - (size_t)n, ", ethernet (%.*s)",
                       (int)strcspn(line + sizeof dev - 1, "\n"),
                       line + sizeof dev - 1);
}

const char *describe_cert(const struct cert *cert, int64_t now_s, char *buf,
                          size_t size)
{
    int64_t left_s = cert->until_s - now_s;
    if (!*cert_show_fault(cert, now_s, buf, size))
        (void)snprintf(
            buf, size, "%lld %s",
            (long long)(left_s / (left_s < 2 * DAY_S ? HOUR_S : DAY_S)),
            left_s < 2 * DAY_S ? "hours left" : "days left");
    return buf;
}

void describe_ways(struct grid *grid, const struct msg_hello_reply *hello,
                   const struct describe_clock *clock, const struct cert *cert,
                   int64_t now_s)
{
    char text[128], offset[24], bound[24];
    size_t row = grid->n_rows - 1;
    show_links(hello, text, sizeof text);
    grid_text(grid, row, 11, text);
    if (clock->bound_ns) {
        double ahead_ns = (double)clock->offset_ns;
        (void)snprintf(
            text, sizeof text, "%c%s \302\261 %s", ahead_ns < 0 ? '-' : '+',
            units_show_ns(offset, sizeof offset,
                          ahead_ns < 0 ? -ahead_ns : ahead_ns),
            units_show_ns(bound, sizeof bound, (double)clock->bound_ns));
        grid_text(grid, row, 12, text);
    }
    if (cert->name[0])
        grid_text(grid, row, 13, describe_cert(cert, now_s, text, sizeof text));
}
