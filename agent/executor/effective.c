#include "agent/executor/effective.h"

#include <string.h>

#include "agent/executor/line.h"

#define EFFECTIVE_VERSION 1

static void print_end(struct line_json *j, const char *key,
                      const struct link_end *end)
{
    if (!end->dev[0]) /* on another machine */
        return;
    line_json_open(j, key, '{');
    line_json_text(j, "dev", end->dev);
    line_json_text(j, "address", end->address);
    line_json_u64(j, "mtu", end->mtu);
    if (end->speed_mbit)
        line_json_u64(j, "speed_mbit", end->speed_mbit);
    line_json_text(j, "qdisc", end->qdisc);
    line_json_text(j, "offloads", end->offloads);
    line_json_close(j, '{');
}

static void print_link(struct line_json *j, const struct setup *setup,
                       const struct link_state *link)
{
    line_json_open(j, "link", '{');
    line_json_text(j, "kind", setup->spec.link_kind);
    print_end(j, "target", &link->target);
    print_end(j, "load", &link->load);
    line_json_close(j, '{');
}

static void print_sysctls(struct line_json *j, const struct setup *setup)
{
    line_json_open(j, "sysctls", '{');
    for (unsigned i = 0; i < setup->n_sysctls; i++)
        line_json_text(j, setup->sysctls[i].name, setup->sysctls[i].value);
    line_json_close(j, '{');
}

/* What is set on the machine for the time of the attempt. */
static void print_host(struct line_json *j, const struct setup *setup)
{
    line_json_open(j, "machine", '[');
    for (unsigned i = 0; i < setup->n_sysctls; i++)
        if (setup->sysctls[i].wanted && setup->sysctls[i].host)
            line_json_text(j, NULL, setup->sysctls[i].name);
    line_json_close(j, '[');
    const struct config *c = setup->config;
    const char *const set[][2] = {{"governor", c->governor},
                                  {"turbo", c->turbo},
                                  {"thp", c->thp},
                                  {"swappiness", c->swappiness},
                                  {"numa_balancing", c->numa_balancing}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (*set[i][1])
            line_json_text(j, set[i][0], set[i][1]);
    line_json_open(j, "nic", '{');
    for (unsigned i = 0; i < setup->n_nics; i++)
        line_json_text(j, setup->nics[i].knob, setup->nics[i].value);
    line_json_close(j, '{');
}

/* As results/ stores them: side, name, value. */
static void print_facts(struct line_json *j, const struct effective_facts *f)
{
    static const char *const sides[] = {"target", "load"};
    line_json_open(j, "facts", '{');
    for (unsigned i = 0; i < 2; i++) {
        char name[NOTE_NAME_MAX], value[NOTE_VALUE_MAX];
        size_t at = 0;
        line_json_open(j, sides[i], '{');
        while (notes_next(&f->sides[i], &at, name, value))
            line_json_text(j, name, value);
        line_json_close(j, '{');
    }
    line_json_close(j, '{');
}

static void print_pin(struct line_json *j, const struct setup *setup)
{
    line_json_open(j, "pin", '{');
    line_json_text(j, "rule", setup->spec.pin[0] ? setup->spec.pin : "none");
    line_json_text(j, "target", setup->pin.target_text);
    line_json_text(j, "load", setup->pin.load_text);
    line_json_close(j, '{');
}

static void print_limit(struct line_json *j, const char *key,
                        const struct limits *limits)
{
    line_json_open(j, key, '{');
    if (limits->memory_bytes)
        line_json_u64(j, "memory_bytes", limits->memory_bytes);
    if (limits->cpus_milli)
        line_json_u64(j, "cpus_milli", limits->cpus_milli);
    if (limits->pids)
        line_json_u64(j, "pids", limits->pids);
    line_json_close(j, '{');
}

/* As put in force, which cgroup_limit has read back. */
static void print_limits(struct line_json *j, const struct setup *setup)
{
    line_json_open(j, "limits", '{');
    if (setup->parts & PART_BIT(PART_TARGET))
        print_limit(j, "target", &setup->target_limits);
    if (setup->parts & PART_BIT(PART_LOAD))
        print_limit(j, "load", &setup->load_limits);
    line_json_close(j, '{');
}

static void print_commands(struct line_json *j, const struct setup *setup)
{
    static const char *const keys[PARTS] = {
        [PART_TARGET] = "target",
        [PART_WATCH_TARGET] = "watch-target",
        [PART_LOAD] = "load",
        [PART_WATCH_LOAD] = "watch-load",
    };
    line_json_open(j, "commands", '{');
    for (unsigned p = 0; p < PARTS; p++) {
        if (!(setup->parts & PART_BIT(p)))
            continue;
        line_json_open(j, keys[p], '[');
        for (size_t i = 0; i < setup->commands[p].n; i++)
            line_json_text(j, NULL, setup->commands[p].argv[i]);
        line_json_close(j, '[');
    }
    line_json_close(j, '{');
    line_json_open(j, "environment", '[');
    for (size_t i = 0; i < setup->env.n; i++)
        line_json_text(j, NULL, setup->env.argv[i]);
    line_json_close(j, '[');
}

enum err effective_print(const struct setup *setup,
                         const struct link_state *link,
                         const struct effective_facts *facts, char *buf,
                         size_t size, struct why *why)
{
    struct line_json j;
    line_json_init(&j, buf, size);
    line_json_open(&j, NULL, '{');
    line_json_u64(&j, "version", EFFECTIVE_VERSION);
    line_json_text(&j, "cell", setup->spec.cell);
    line_json_text(&j, "role", setup->spec.role);
    line_json_text(&j, "mode", facts_mode_name(setup->mode));
    line_json_text(&j, "target", setup->target->name);
    line_json_text(&j, "address", setup->address);
    line_json_u64(&j, "port", setup->port);
    print_link(&j, setup, link);
    print_sysctls(&j, setup);
    print_host(&j, setup);
    line_json_text(&j, "congestion", setup->spec.congestion);
    print_pin(&j, setup);
    print_limits(&j, setup);
    print_commands(&j, setup);
    print_facts(&j, facts);
    line_json_close(&j, '{');
    return j.over ? err_set(why, ERR_RANGE, "effective settings: too long")
                  : ERR_OK;
}
