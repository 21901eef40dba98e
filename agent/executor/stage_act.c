/* What attempt.c tells a stage to do: start a part, speak to it, kill it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/children.h"
#include "agent/executor/stage.h"
#include "agent/executor/user.h"
#include "common/place.h"

static bool on_target_side(enum part part)
{
    return part == PART_TARGET || part == PART_WATCH_TARGET;
}

#define KEPT 8u /* at most, of the agent's own environment */

/* The children get nothing of the agent's own environment beyond this. */
static size_t pick_env(char **env, size_t max)
{
    static const char *const kept[] = {
        "PATH=",         "HOME=",          "LANG=",         "TZ=",
        "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="};
    size_t n = 0;
    for (char **e = environ; e && *e && n < max; e++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if (!strncmp(*e, kept[k], strlen(kept[k])) && n < max)
                env[n++] = *e;
    env[n] = NULL;
    return n;
}

/* A target's definition may add variables, which then win. */
static void add_env(char **env, size_t n, const struct command *own)
{
    for (size_t i = 0; i < own->n; i++) {
        size_t name = strcspn(own->argv[i], "=") + 1, k = 0;
        while (k < n && strncmp(env[k], own->argv[i], name) != 0)
            k++;
        env[k] = own->argv[i];
        n += k == n;
    }
    env[n] = NULL;
}

static enum err program_of(const struct setup *setup, enum part part,
                           char *path, size_t size, struct why *why)
{
    const char *program =
        part == PART_TARGET ? setup->target->program : command_program(part);
    if (program[0] != '/')
        return place_program(program, path, size, why);
    (void)snprintf(path, size, "%s", program);
    return ERR_OK;
}

enum err stage_spawn(struct stage *s, enum part part, struct why *why)
{
    const struct setup *setup = s->setup;
    char path[4096], cache[sizeof s->cache + 16];
    char *env[KEPT + COMMAND_ARGS_MAX + 2];
    size_t n = pick_env(env, KEPT);
    (void)snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", s->cache);
    env[n++] = cache;
    env[n] = NULL;
    if (part == PART_TARGET)
        add_env(env, n, &setup->env);
    enum err e = program_of(setup, part, path, sizeof path, why);
    if (e)
        return e;
    /* The watches go with load: what they use is not the target's. */
    const cpu_set_t *cpus =
        part == PART_TARGET ? &setup->pin.target : &setup->pin.load;
    struct process_plan plan = {
        .path = path,
        .argv = setup->commands[part].argv,
        .env = env,
        .cwd = setup->work,
        .cpus = setup->pin.pinned ? cpus : NULL,
        .cage = on_target_side(part) ? &s->target : &s->load,
        .group = attempt_groups_of(&s->groups, part),
        .plan = part == PART_LOAD ? s->plan : -1,
        .bare = part == PART_TARGET && setup->silent,
    };
    if (plan.bare)
        e = user_apply(setup, &plan, why);
    if (!e)
        e = process_start(&s->process[part], &plan, why);
    if (!e)
        children_note(s->dir, s->process[part].pid);
    return e;
}

enum err stage_send(struct stage *s, enum part part,
                    const struct child_msg *msg, struct why *why)
{
    struct process *p = &s->process[part];
    if (part == PART_TARGET && s->setup->silent && msg->kind == CHILD_STOP)
        process_signal(p, s->setup->target->stop_signal);
    if (p->control < 0)
        return ERR_OK;
    enum err e = process_send(p, msg, why);
    /* Its exit tells more than its closed socket. */
    return e == ERR_GONE ? ERR_OK : e;
}

void stage_kill(struct stage *s, enum part part)
{
    process_kill(&s->process[part]);
}
