#include "controller/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lab_agent(const struct lab *lab, unsigned i)
{
    return lab->agents[i]->hello.name;
}

/* Names head rows and messages: each must be of one agent, the expected one. */
static enum err check_name(const struct lab *lab, const char *expected,
                           struct why *why)
{
    const struct agent *last = lab->agents[lab->n - 1];
    if (expected[0] && strcmp(expected, last->hello.name) != 0)
        return err_set(why, ERR_INVALID,
                       "agent %s is called \"%s\", not \"%s\" as in the lab "
                       "file",
                       last->url, last->hello.name, expected);
    for (unsigned i = 0; i + 1 < lab->n; i++)
        if (!strcmp(lab_agent(lab, i), last->hello.name))
            return err_set(why, ERR_INVALID,
                           "agents %s and %s are both called \"%s\": start "
                           "one with another --name",
                           lab->agents[i]->url, last->url, last->hello.name);
    return ERR_OK;
}

enum err lab_open(struct lab **out, const struct lab_place *place,
                  const struct agent_way *way, struct why *why)
{
    *out = NULL;
    struct lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return err_set(why, ERR_NOMEM, "lab");
    enum err e = ERR_OK;
    bool own = !place->n;
    unsigned n = own ? 1 : place->n;
    for (unsigned i = 0; !e && i < n; i++) {
        struct agent_way one = *way;
        one.url = own ? NULL : place->agents[i].url;
        one.name = own ? "" : place->agents[i].name;
        e = agent_open(&lab->agents[i], &one, why);
        lab->n += !e;
        if (!e)
            e = check_name(lab, own ? "" : place->agents[i].name, why);
    }
    if (e) {
        lab_close(lab, way->folder != NULL);
        return e;
    }
    (void)snprintf(lab->name, sizeof lab->name, "%s",
                   place->bench[0] ? place->bench : lab_agent(lab, 0));
    *out = lab;
    return ERR_OK;
}

void lab_close(struct lab *lab, bool keep)
{
    if (!lab)
        return;
    for (unsigned i = 0; i < lab->n; i++)
        agent_close(lab->agents[i], keep);
    free(lab);
}

enum err labs_open(struct labs *out, const struct lab_places *places,
                   const struct agent_way *way, struct why *why)
{
    enum err e = ERR_OK;
    *out = (struct labs){.n = 0};
    for (unsigned i = 0; !e && i < places->n; i++) {
        e = lab_open(&out->items[i], &places->items[i], way, why);
        out->n += !e;
    }
    if (e)
        labs_close(out, way->folder != NULL);
    return e;
}

void labs_close(struct labs *labs, bool keep)
{
    for (unsigned i = 0; i < labs->n; i++)
        lab_close(labs->items[i], keep);
    *labs = (struct labs){.n = 0};
}

const char *labs_names(const struct labs *labs, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = 0; i < labs->n && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                                 labs->items[i]->name);
    return buf;
}

enum err lab_acquire(struct lab *lab, const char *owner, uint64_t ttl_ns,
                     struct why *why)
{
    enum err e = ERR_OK;
    for (unsigned i = 0; !e && i < lab->n; i++)
        e = agent_acquire(lab->agents[i], owner, ttl_ns, why);
    return e;
}

struct needs_agents lab_hellos(const struct lab *lab)
{
    struct needs_agents all = {.n = lab->n};
    for (unsigned i = 0; i < lab->n; i++)
        all.hello[i] = &lab->agents[i]->hello;
    return all;
}
