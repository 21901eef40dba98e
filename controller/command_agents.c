/* The command agents; its verb release is command_release.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/command.h"
#include "controller/describe.h"
#include "controller/interrupt.h"
#include "controller/lab.h"
#include "controller/options.h"
#include "controller/show.h"

enum {
    KEY_AGENT = 256,
    KEY_AGENTS,
    KEY_LOCAL,
    KEY_TARGETS,
    KEY_PLAIN,
    KEY_JSON
};

static const struct argp_option options[] = {
    {"agent", KEY_AGENT, "URL", 0, "reach this agent; repeatable", 0},
    {"agents", KEY_AGENTS, "FILE", 0, "reach all agents of this lab file", 0},
    {"local", KEY_LOCAL, NULL, 0,
     "start one here, ask it, end it (the default without others)", 0},
    {"targets", KEY_TARGETS, "DIR", 0, "definitions of targets for that agent",
     0},
    {"insecure-plain", KEY_PLAIN, NULL, 0,
     "allow tcp:// without encryption or authentication", 0},
    {"json", KEY_JSON, NULL, 0, "print the table as JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_AGENT:
        if (o->agents.n == OPTIONS_LIST_MAX)
            argp_error(state, "more than %u agents", OPTIONS_LIST_MAX);
        o->agents.items[o->agents.n++] = arg;
        return 0;
    case KEY_AGENTS:
        o->lab_file = arg;
        return 0;
    case KEY_LOCAL:
        o->local = true;
        return 0;
    case KEY_TARGETS:
        o->targets = arg;
        return 0;
    case KEY_PLAIN:
        o->insecure_plain = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Ask one agent; what it says, or why it does not, becomes a row. */
static enum err ask(struct grid *grid, const char *url, const struct options *o,
                    struct why *why)
{
    struct agent *agent = NULL;
    enum err e =
        agent_open(&agent, url, o->targets, NULL, o->insecure_plain, why);
    if (e)
        describe_agent(grid, url ? url : "local", NULL, why->text);
    else
        describe_agent(grid, agent->url, &agent->hello, "");
    union request_body *body = e ? NULL : malloc(sizeof *body);
    struct msg_settle tell = {.release = 0};
    /* An older agent does not know it: its cells stay empty. */
    if (body && !agent_call(agent, MSG_SETTLE, &tell, body, NULL))
        describe_settled(grid, &body->settled);
    free(body);
    agent_close(agent, false);
    return e;
}

/* Those of a lab file; one that is not there is no error of the file. */
static enum err ask_file(struct grid *grid, const struct options *o,
                         int *status, struct why *why)
{
    struct lab_file *file = NULL;
    enum err e = lab_file_load(&file, o->lab_file, why);
    for (unsigned i = 0; !e && i < file->n_agents; i++) {
        struct why missing = {""};
        *status |= ask(grid, file->agents[i].url, o, &missing) != ERR_OK;
    }
    free(file);
    return e;
}

enum err agents_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Reach agents and tell what they are: version, roles, cores, "
               "memory, targets, what they can set up, what is missing, who "
               "has their lease and what of their machine is changed. "
               "`pitwall agents release NAME` ends a lease or a hold.\v"
               "Exit status: 0 all were reached, 1 not."};
    struct options o = {0};
    struct grid grid;
    int signals = -1;
    if (argc > 1 && !strcmp(argv[1], "release"))
        return release_main(argc - 1, argv + 1, status, why);
    enum err e = command_parse(&argp, argc, argv, &o, NULL, why);
    if (e)
        return e;
    /* Held back until the end: a local agent's state is to be removed. */
    e = interrupt_open(&signals, why);
    if (e)
        return e;
    grid_init(&grid);
    describe_agents(&grid);
    *status = 0;
    if (o.lab_file)
        e = ask_file(&grid, &o, status, why);
    if (o.local || (!o.agents.n && !o.lab_file))
        *status |= ask(&grid, NULL, &o, why) != ERR_OK;
    for (size_t i = 0; i < o.agents.n; i++)
        *status |= ask(&grid, o.agents.items[i], &o, why) != ERR_OK;
    if (!e)
        e = show_grid(&grid, o.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    grid_fini(&grid);
    (void)close(signals);
    return e;
}
