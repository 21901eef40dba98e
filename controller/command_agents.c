/* The command agents; its verb release is command_release.c. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/command.h"
#include "controller/describe.h"
#include "controller/interrupt.h"
#include "controller/lab.h"
#include "controller/options.h"
#include "controller/show.h"
#include "controller/trust.h"

#define PINGS 8

enum {
    KEY_AGENT = 256,
    KEY_AGENTS,
    KEY_LOCAL,
    KEY_TARGETS,
    KEY_PLAIN,
    KEY_TLS,
    KEY_JSON
};

static const struct argp_option options[] = {
    {"agent", KEY_AGENT, "URL", 0, "reach this agent; repeatable", 0},
    {"agents", KEY_AGENTS, "FILE", 0, "reach all agents of this lab file", 0},
    {"local", KEY_LOCAL, NULL, 0,
     "start one here, ask it, end it (the default without others)", 0},
    {"targets", KEY_TARGETS, "DIR", 0, "definitions of targets for that agent",
     0},
    {"tls", KEY_TLS, "DIR", 0,
     "your credentials for tls+tcp, made by `pitwall ca issue'", 0},
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
    case KEY_TLS:
        o->tls = arg;
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

/* The agent's wall clock by its answers to pings; the quickest one bounds the
 * error best. An older agent does not tell it. */
static struct describe_clock read_clock(struct agent *agent,
                                        union request_body *body)
{
    struct describe_clock out = {.bound_ns = 0};
    struct msg_ping ping = {.sent_ns = 0};
    for (int i = 0; i < PINGS; i++) {
        uint64_t wall_ns = clock_wall_ns(), from_ns = clock_mono_ns();
        if (agent_call(agent, MSG_PING, &ping, body, NULL))
            break;
        uint64_t half_ns = (clock_mono_ns() - from_ns) / 2;
        if (!body->ping.wall_ns || (out.bound_ns && half_ns >= out.bound_ns))
            continue;
        out.bound_ns = half_ns;
        out.offset_ns = (int64_t)(body->ping.wall_ns - wall_ns - half_ns);
    }
    return out;
}

/* What an agent that has been reached tells of itself. */
static void tell(struct grid *grid, struct agent *agent)
{
    union request_body *body = malloc(sizeof *body);
    struct msg_settle settle = {.release = 0};
    describe_agent(grid, agent->url, &agent->hello, "");
    if (!body)
        return;
    const struct describe_clock clock = read_clock(agent, body);
    describe_ways(grid, &agent->hello, &clock, &agent->cert,
                  (int64_t)time(NULL));
    /* An older agent does not know it: its cells stay empty. */
    if (!agent_call(agent, MSG_SETTLE, &settle, body, NULL))
        describe_settled(grid, &body->settled);
    free(body);
}

/* Ask one agent; what it says, or why it does not, becomes a row. */
static enum err ask(struct grid *grid, const struct agent_way *way,
                    struct why *why)
{
    struct agent *agent = NULL;
    enum err e = agent_open(&agent, way, why);
    if (e)
        describe_agent(grid, way->url ? way->url : "local", NULL, why->text);
    else
        tell(grid, agent);
    agent_close(agent, false);
    return e;
}

/* Those of the lab file, then those of options; one that is not there is no
 * error of ours. */
static void ask_all(struct grid *grid, const struct options *o,
                    const struct lab_file *file, const struct agent_way *way,
                    int *status)
{
    struct agent_way one = *way;
    for (unsigned i = 0; file && i < file->n_agents; i++) {
        struct why missing = {""};
        one.url = file->agents[i].url;
        one.name = file->agents[i].name;
        *status |= ask(grid, &one, &missing) != ERR_OK;
    }
    one.name = "";
    one.url = NULL;
    if (o->local || (!o->agents.n && !file)) {
        struct why missing = {""};
        *status |= ask(grid, &one, &missing) != ERR_OK;
    }
    for (size_t i = 0; i < o->agents.n; i++) {
        struct why missing = {""};
        one.url = o->agents.items[i];
        *status |= ask(grid, &one, &missing) != ERR_OK;
    }
}

/* Until when we ourselves are let in. */
static void note_own(struct grid *grid, const struct creds *creds)
{
    char left[64];
    if (creds)
        grid_note(
            grid, "our certificate, of \"%s\": %s", creds->own.name,
            describe_cert(&creds->own, (int64_t)time(NULL), left, sizeof left));
}

static enum err fill(struct grid *grid, const struct options *o, int *status,
                     struct why *why)
{
    struct lab_file *file = NULL;
    struct trust trust = {.creds = {.ca = NULL}};
    enum err e = o->lab_file ? lab_file_load(&file, o->lab_file, why) : ERR_OK;
    if (!e)
        e = trust_load(&trust, o->tls, file ? &file->tls : NULL, why);
    const struct agent_way way = {.targets = o->targets,
                                  .creds = trust_creds(&trust),
                                  .plain_ok = o->insecure_plain};
    if (!e) {
        describe_agents(grid);
        note_own(grid, way.creds);
        ask_all(grid, o, file, &way, status);
    }
    trust_free(&trust);
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
               "has their lease, what of their machine is changed, which "
               "links they can make, how far their clock is from ours and "
               "how long their certificate lasts. "
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
    *status = 0;
    e = fill(&grid, &o, status, why);
    if (!e)
        e = show_grid(&grid, o.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    grid_fini(&grid);
    (void)close(signals);
    return e;
}
