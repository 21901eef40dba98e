#include "controller/needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/factor.h"

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

static enum err cannot(const struct msg_hello_reply *agent, const char *what,
                       struct why *why)
{
    return err_set(why, ERR_INVALID, "agent %s cannot do %s%s%s", agent->name,
                   what, agent->missing[0] ? ": " : "", agent->missing);
}

enum err needs_check(const struct msg_hello_reply *agent,
                     const struct trial_spec *spec, struct why *why)
{
    bool veth = !strcmp(spec->link_kind, "veth");
    if (strcmp(agent->roles, "both"))
        return err_set(why, ERR_INVALID,
                       "agent %s has the role %s; link=%s needs an agent with "
                       "the role both",
                       agent->name, agent->roles, spec->link_kind);
    if (!has_word(agent->targets, spec->target))
        return err_set(why, ERR_INVALID,
                       "agent %s has no target \"%s\"; it has: %s", agent->name,
                       spec->target, agent->targets);
    if (veth && !needs_namespaces(agent))
        return cannot(agent, "link=veth", why);
    if (spec->rmem_max && !needs_namespaces(agent))
        return cannot(agent, "rmem", why);
    if (spec->sysctls[0] && !needs_namespaces(agent))
        return cannot(agent, "sysctl", why);
    if (spec->link_rate_bit && !needs_feature(agent, "tbf"))
        return cannot(agent, "link=veth with a rate (tbf)", why);
    if (spec->link_delay_ns && !needs_feature(agent, "netem"))
        return cannot(agent, "link=veth with a delay (netem)", why);
    return ERR_OK;
}

enum err needs_check_all(const struct msg_hello_reply *agent,
                         const struct trials *trials, struct why *why)
{
    struct setup *setup = malloc(sizeof *setup);
    if (!setup)
        return err_set(why, ERR_NOMEM, "setup");
    enum err e = ERR_OK;
    for (uint32_t c = 0; !e && c < trials->n_cells; c++) {
        trials_setup(trials, c, setup);
        e = needs_check(agent, &setup->spec, why);
    }
    free(setup);
    return e;
}

/* Whether the agent can do this level, all else being as it is by default. */
static bool can_do(const struct msg_hello_reply *agent, const char *name,
                   const char *value, struct why *why)
{
    struct setup *setup = malloc(sizeof *setup);
    if (!setup)
        return true;
    factor_defaults(setup);
    enum err e = factor_set(name, value, setup, why);
    if (!e)
        e = needs_check(agent, &setup->spec, why);
    free(setup);
    return e == ERR_OK;
}

bool needs_drop(const struct msg_hello_reply *agent, struct experiment *ex,
                char *said, size_t size)
{
    for (size_t a = 0; a < ex->n_axes; a++)
        for (size_t i = 0; i < ex->axes[a].n_levels; i++) {
            const struct axis *axis = &ex->axes[a];
            const struct level *level = &axis->levels[i];
            struct why why = {""};
            if (axis->n_levels == 1 ||
                can_do(agent, axis->name, level->value, &why))
                continue;
            (void)snprintf(said, size, "%s=%s: %s", axis->name, level->label,
                           why.text);
            experiment_drop(ex, a, i);
            return true;
        }
    return false;
}
