#include "agent/executor/closing.h"

#include <stdio.h>
#include <string.h>

#include "agent/executor/settings.h"
#include "common/log.h"

#define CLOSING_VERSION 1
#define SYSFS           "/sys"

static void put(void *ctx, const char *text)
{
    struct closing_list *list = ctx;
    if (list->n++ < CLOSING_TEXTS)
        line_copy(list->text[list->n - 1], CLOSING_TEXT_MAX, text);
}

enum err closing_begin(struct closing *c, const struct config *config,
                       const struct groups *groups, struct why *why)
{
    *c = (struct closing){.before = SNAPSHOT_NONE};
    enum err e = snapshot_take(&c->before, config, why);
    throttle_read(&c->throttle, groups, SYSFS);
    c->begun = !e;
    return e;
}

void closing_settings(struct closing *c, const struct setup *setup,
                      const struct cage *cage)
{
    if (c->begun)
        settings_changed(setup, cage, put, &c->changed);
}

static void print_list(struct line_json *j, const char *key,
                       const struct closing_list *list)
{
    char more[40];
    line_json_open(j, key, '[');
    for (unsigned i = 0; i < list->n && i < CLOSING_TEXTS; i++)
        line_json_text(j, NULL, list->text[i]);
    if (list->n > CLOSING_TEXTS) {
        (void)snprintf(more, sizeof more, "and %u more",
                       list->n - CLOSING_TEXTS);
        line_json_text(j, NULL, more);
    }
    line_json_close(j, '[');
}

static void print_restored(struct line_json *j, const struct closing *c,
                           const struct config *config)
{
    struct snapshot after;
    struct closing_list differs = {.n = 0};
    struct why why = {0};
    if (snapshot_take(&after, config, &why)) {
        log_warn("%s", why.text);
        return;
    }
    line_json_bool(j, "restored",
                   !snapshot_compare(&c->before, &after, put, &differs));
    for (unsigned i = 0; i < differs.n && i < CLOSING_TEXTS; i++)
        log_warn("not as before: %s", differs.text[i]);
    print_list(j, "differs", &differs);
    snapshot_free(&after);
}

static void print_group(struct line_json *j, const char *key,
                        const struct cgroup_events *seen)
{
    line_json_open(j, key, '{');
    line_json_u64(j, "memory_peak_bytes", seen->memory_peak_bytes);
    line_json_u64(j, "oom_kills", seen->oom_kills);
    line_json_u64(j, "throttled", seen->throttled);
    line_json_u64(j, "throttled_ns", seen->throttled_ns);
    line_json_u64(j, "pids_refused", seen->pids_refused);
    line_json_close(j, '{');
}

static void print_groups(struct line_json *j, const struct setup *setup,
                         const struct attempt_groups *seen)
{
    line_json_open(j, "groups", '{');
    if (setup->parts & PART_BIT(PART_TARGET))
        print_group(j, "target", &seen->seen[GROUP_TARGET]);
    if (setup->parts & PART_BIT(PART_LOAD))
        print_group(j, "load", &seen->seen[GROUP_LOAD]);
    print_group(j, "watch", &seen->seen[GROUP_WATCH]);
    line_json_close(j, '{');
}

void closing_print(struct closing *c, const struct setup *setup,
                   const struct attempt_groups *seen,
                   const struct groups *groups, char *buf, size_t size)
{
    struct line_json j;
    struct throttle now;
    buf[0] = '\0';
    if (!c->begun)
        return;
    throttle_read(&now, groups, SYSFS);
    const struct throttle held = throttle_since(&c->throttle, &now);
    line_json_init(&j, buf, size);
    line_json_open(&j, NULL, '{');
    line_json_u64(&j, "version", CLOSING_VERSION);
    print_restored(&j, c, setup->config);
    print_list(&j, "changed", &c->changed);
    line_json_open(&j, "held_back", '{');
    line_json_u64(&j, "thermal", held.thermal);
    line_json_u64(&j, "quota_ns", held.quota_ns);
    line_json_close(&j, '{');
    if (groups && groups->n)
        print_groups(&j, setup, seen);
    line_json_close(&j, '{');
    snapshot_free(&c->before);
    c->begun = false;
}
