#include "controller/needs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/factor.h"
#include "controller/maps.h"
#include "tracks/plan.h"

#define PAGE_MAX_BYTES 65536u /* the largest of any machine that we run on */

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ", ");
        if (n == len && !strncmp(at, word, len))
            return true;
        at += n;
        at += strspn(at, ", ");
    }
    return false;
}

bool needs_feature(const struct msg_hello_reply *agent, const char *feature)
{
    return has_word(agent->features, feature);
}

bool needs_namespaces(const struct msg_hello_reply *agent)
{
    return needs_feature(agent, "netns") || needs_feature(agent, "userns");
}

/* What the agent says is missing, from this "no ..." to the next; all of it
 * where it does not say this. */
static const char *clause(const struct msg_hello_reply *agent, const char *what,
                          char *buf, size_t size)
{
    const char *at = strstr(agent->missing, what);
    const char *end = at ? strstr(at, "; no ") : NULL;
    at = at ? at : agent->missing;
    (void)snprintf(buf, size, "%.*s",
                   (int)(end ? (size_t)(end - at) : strlen(at)), at);
    return buf;
}

static enum err cannot(const struct msg_hello_reply *agent, const char *what,
                       const char *missing, struct why *why)
{
    char reason[400];
    (void)clause(agent, missing, reason, sizeof reason);
    return err_set(why, ERR_INVALID, "agent %s cannot do %s%s%s", agent->name,
                   what, reason[0] ? ": " : "", reason);
}

bool needs_apart(const struct trial_spec *spec)
{
    return !strcmp(spec->link_kind, "ethernet");
}

/* What extra trials look at must be allowed to every watch that looks. */
static enum err check_telemetry(const struct needs_agents *agents,
                                const struct trial_spec *spec, struct why *why)
{
    static const struct {
        const char *device, *what, *missing;
        bool of_loads;
    } all[] = {{"perf", "--telemetry perf", "no telemetry perf", true},
               {"reads", "--telemetry reads", "no telemetry reads", false}};
    for (size_t d = 0; d < sizeof all / sizeof *all; d++)
        for (unsigned i = 0; i < agents->n; i++) {
            const struct msg_hello_reply *agent = agents->hello[i];
            bool looks = i == 0 || (all[d].of_loads && needs_apart(spec));
            if (looks && has_word(spec->telemetry, all[d].device) &&
                !needs_feature(agent, all[d].device))
                return cannot(agent, all[d].what, all[d].missing, why);
        }
    return ERR_OK;
}

static enum err has_role(const struct msg_hello_reply *agent, const char *role,
                         const char *link, struct why *why)
{
    if (!strcmp(agent->roles, "both") || !strcmp(agent->roles, role))
        return ERR_OK;
    return err_set(why, ERR_INVALID,
                   "agent %s has the role %s; link=%s needs an agent with "
                   "the role %s",
                   agent->name, agent->roles, link, role);
}

/* What is set with link=ethernet is set on whole machines. */
static enum err check_machine(const struct needs_agents *agents,
                              const struct trial_spec *spec, struct why *why)
{
    const char *what = spec->nic[0]       ? "nic"
                       : spec->rmem_max   ? "rmem"
                       : spec->sysctls[0] ? "sysctl"
                                          : NULL;
    for (unsigned i = 0; what && i < agents->n; i++)
        if ((i == 0 || spec->nic[0]) &&
            !needs_feature(agents->hello[i], "journal"))
            return err_set(why, ERR_INVALID,
                           "agent %s cannot do %s with link=ethernet, a "
                           "setting of its whole machine: run it as root",
                           agents->hello[i]->name, what);
    return ERR_OK;
}

/* The machines' own network. */
static enum err check_ethernet(const struct needs_agents *agents,
                               const struct trial_spec *spec, struct why *why)
{
    const struct msg_hello_reply *target = agents->hello[0];
    if (agents->n < 2)
        return err_set(why, ERR_INVALID,
                       "link=ethernet needs a second machine: a bench with "
                       "load agents (--agents lab.json, or --agent twice); on "
                       "one machine take "
                       "eth@veth:mtu=1500+rate=1gbit+burst=32kb+offloads=off, "
                       "or --emulate-ethernet, which stores that");
    if (!needs_feature(target, "ethernet"))
        return err_set(why, ERR_INVALID,
                       "agent %s has no address for link=ethernet: name its "
                       "\"interface\" in its configuration, or let it listen "
                       "on an address of that network",
                       target->name);
    enum err e = has_role(target, "target", spec->link_kind, why);
    for (unsigned i = 1; !e && i < agents->n; i++)
        e = has_role(agents->hello[i], "load", spec->link_kind, why);
    return e ? e : check_machine(agents, spec, why);
}

/* Links that one machine has for itself. */
static enum err check_own(const struct msg_hello_reply *agent,
                          const struct trial_spec *spec, struct why *why)
{
    bool veth = !strcmp(spec->link_kind, "veth");
    enum err e = has_role(agent, "both", spec->link_kind, why);
    if (e)
        return e;
    if (spec->nic[0])
        return err_set(why, ERR_INVALID,
                       "nic.X is of link=ethernet; a veth takes mtu= and "
                       "offloads= in its level");
    if (veth && !needs_namespaces(agent))
        return cannot(agent, "link=veth", "no namespaces", why);
    if (spec->rmem_max && !needs_namespaces(agent))
        return cannot(agent, "rmem", "no namespaces", why);
    if (spec->sysctls[0] && !needs_namespaces(agent))
        return cannot(agent, "sysctl", "no namespaces", why);
    if (spec->link_rate_bit && !needs_feature(agent, "tbf"))
        return cannot(agent, "link=veth with a rate (tbf)", "no rate", why);
    if (spec->link_delay_ns && !needs_feature(agent, "netem"))
        return cannot(agent, "link=veth with a delay (netem)", "no delay", why);
    return ERR_OK;
}

static enum err check_target(const struct msg_hello_reply *agent,
                             const char *name, struct why *why)
{
    char missing[200];
    if (has_word(agent->targets, name))
        return ERR_OK;
    if (*maps_missing(agent, name, missing, sizeof missing))
        return err_set(why, ERR_INVALID,
                       "agent %s cannot start target \"%s\": %s", agent->name,
                       name, missing);
    return err_set(why, ERR_INVALID,
                   "agent %s has no target \"%s\"; it has: %s", agent->name,
                   name, agent->targets);
}

static enum err beyond(const struct msg_hello_reply *agent, const char *what,
                       const char *wants, const char *has, struct why *why)
{
    return err_set(why, ERR_INVALID,
                   "agent %s cannot do limit.%s=%s: its configuration gives "
                   "the target %s (\"limits\"); accepted: at most that",
                   agent->name, what, wants, has);
}

/* Limits within what the agent's configuration gives. It rounds memory down to
 * whole pages: what is beyond by less than one is left for it to judge. */
static enum err check_limits(const struct msg_hello_reply *agent,
                             const struct trial_spec *spec, struct why *why)
{
    char wants[32], has[32];
    uint64_t memory = agent->limit_memory_bytes;
    uint32_t cpus = agent->limit_cpus_milli, pids = agent->limit_pids;
    bool any =
        spec->limit_memory_bytes || spec->limit_cpus_milli || spec->limit_pids;
    if (any && !needs_feature(agent, "limits"))
        return cannot(agent, "limit", "no limits", why);
    if (memory && spec->limit_memory_bytes >= memory + PAGE_MAX_BYTES)
        return beyond(
            agent, "memory",
            units_show_bytes(wants, sizeof wants, spec->limit_memory_bytes),
            units_show_bytes(has, sizeof has, memory), why);
    if (cpus && spec->limit_cpus_milli > cpus) {
        (void)snprintf(wants, sizeof wants, "%.7g",
                       spec->limit_cpus_milli / 1e3);
        (void)snprintf(has, sizeof has, "%.7g", cpus / 1e3);
        return beyond(agent, "cpus", wants, has, why);
    }
    if (pids && spec->limit_pids > pids) {
        (void)snprintf(wants, sizeof wants, "%" PRIu32, spec->limit_pids);
        (void)snprintf(has, sizeof has, "%" PRIu32, pids);
        return beyond(agent, "pids", wants, has, why);
    }
    return ERR_OK;
}

enum err needs_check(const struct needs_agents *agents,
                     const struct trial_spec *spec, struct why *why)
{
    const struct msg_hello_reply *target = agents->hello[0];
    enum err e = needs_apart(spec) ? check_ethernet(agents, spec, why)
                                   : check_own(target, spec, why);
    if (!e)
        e = check_limits(target, spec, why);
    if (!e)
        e = check_target(target, spec->target, why);
    return e ? e : check_telemetry(agents, spec, why);
}

/* Whether some request's path ends in /_search. */
static bool searches(const struct plan_request *requests, size_t n)
{
    static const char end[] = "/_search";
    const size_t end_len = sizeof end - 1;
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(requests[i].path, "?");
        if (len >= end_len &&
            !memcmp(requests[i].path + len - end_len, end, end_len))
            return true;
    }
    return false;
}

/* The first task of the plan that searches; NULL: none does. */
static const char *searching_task(const struct plan *plan)
{
    for (size_t s = 0; s < plan->n_steps; s++)
        for (size_t t = 0; t < plan->steps[s].n_tasks; t++) {
            const struct plan_task *task = &plan->steps[s].tasks[t];
            bool found = searches(task->requests, task->n_requests);
            for (size_t i = 0; !found && i < task->n_streams; i++)
                found = searches(task->streams[i].requests,
                                 task->streams[i].n_requests);
            if (found)
                return task->name;
        }
    return NULL;
}

static enum err check_search(const char *json, bool said_none, struct why *why)
{
    struct plan *plan = NULL;
    enum err e = plan_parse(&plan, json, strlen(json), why);
    const char *task = e ? NULL : searching_task(plan);
    if (task)
        e = err_set(why, ERR_INVALID,
                    "challenge %s searches (task %s), and target pitwall "
                    "indexes nothing: %s",
                    plan->challenge, task,
                    said_none ? "leave target.index=none out"
                              : "add -m target.index=fts");
    plan_free(plan);
    return e;
}

enum err needs_check_index(const struct trials *trials, struct why *why)
{
    struct setup *setup = malloc(sizeof *setup);
    if (!setup)
        return err_set(why, ERR_NOMEM, "setup");
    enum err e = ERR_OK;
    for (uint32_t c = 0; !e && c < trials->n_cells; c++) {
        trials_setup(trials, c, setup);
        const char *params = setup->spec.target_params;
        if (!strcmp(setup->spec.target, "pitwall") &&
            !strstr(params, "index=fts\n"))
            e = check_search(trials_plan(trials, c),
                             strstr(params, "index=none\n") != NULL, why);
    }
    free(setup);
    return e;
}

enum err needs_check_all(const struct needs_agents *agents,
                         const struct trials *trials, struct why *why)
{
    struct setup *setup = malloc(sizeof *setup);
    if (!setup)
        return err_set(why, ERR_NOMEM, "setup");
    enum err e = needs_check_index(trials, why);
    for (uint32_t c = 0; !e && c < trials->n_cells; c++) {
        trials_setup(trials, c, setup);
        e = needs_check(agents, &setup->spec, why);
        if (!e)
            e = maps_check(agents->hello[0], trials->ex, &setup->spec, why);
    }
    free(setup);
    return e;
}

/* Whether the agent can do this level, all else being as it is by default. */
static bool can_do(const struct needs_agents *agents, const char *name,
                   const char *value, struct why *why)
{
    struct setup *setup = malloc(sizeof *setup);
    if (!setup)
        return true;
    factor_defaults(setup);
    enum err e = factor_set(name, value, setup, why);
    if (!e)
        e = needs_check(agents, &setup->spec, why);
    free(setup);
    return e == ERR_OK;
}

bool needs_drop(const struct needs_agents *agents, struct experiment *ex,
                char *said, size_t size)
{
    for (size_t a = 0; a < ex->n_axes; a++)
        for (size_t i = 0; i < ex->axes[a].n_levels; i++) {
            const struct axis *axis = &ex->axes[a];
            const struct level *level = &axis->levels[i];
            struct why why = {""};
            if (axis->n_levels == 1 ||
                can_do(agents, axis->name, level->value, &why))
                continue;
            (void)snprintf(said, size, "%s=%s: %s", axis->name, level->label,
                           why.text);
            experiment_drop(ex, a, i);
            return true;
        }
    return false;
}
