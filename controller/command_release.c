/* The command agents release: show what stands between an agent and its next
 * lease, then, when told to, end it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"
#include "controller/agent.h"
#include "controller/command.h"
#include "controller/lab_file.h"
#include "controller/trust.h"

enum { KEY_AGENT = 256, KEY_AGENTS, KEY_PLAIN, KEY_TLS, KEY_YES };

struct release {
    const char *name, *url, *file, *tls;
    bool plain_ok, yes;
};

static const struct argp_option options[] = {
    {"agent", KEY_AGENT, "URL", 0, "the agent is here", 0},
    {"agents", KEY_AGENTS, "FILE", 0, "the agent is in this lab file", 0},
    {"tls", KEY_TLS, "DIR", 0, "your credentials for tls+tcp", 0},
    {"insecure-plain", KEY_PLAIN, NULL, 0,
     "allow tcp:// without encryption or authentication", 0},
    {"yes", KEY_YES, NULL, 0, "do it without asking", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct release *r = state->input;
    switch (key) {
    case KEY_AGENT:
        r->url = arg;
        return 0;
    case KEY_AGENTS:
        r->file = arg;
        return 0;
    case KEY_TLS:
        r->tls = arg;
        return 0;
    case KEY_PLAIN:
        r->plain_ok = true;
        return 0;
    case KEY_YES:
        r->yes = true;
        return 0;
    case ARGP_KEY_ARG:
        if (r->name)
            argp_error(state, "one agent at a time: %s, %s", r->name, arg);
        r->name = arg;
        return 0;
    case ARGP_KEY_END:
        if (!r->name)
            argp_error(state, "name the agent");
        if (!r->url == !r->file)
            argp_error(state,
                       "say where agent %s is: --agent URL or "
                       "--agents FILE",
                       r->name);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Reach the agent of that name; one of another name is not touched. */
static enum err reach(const struct release *r, struct agent **out,
                      struct why *why)
{
    struct lab_file *file = NULL;
    struct trust trust = {.creds = {.ca = NULL}};
    char url[LAB_FILE_URL_MAX + 1] = "";
    enum err e = ERR_OK;
    if (r->url)
        (void)snprintf(url, sizeof url, "%s", r->url);
    else
        e = lab_file_load(&file, r->file, why);
    for (unsigned i = 0; file && i < file->n_agents; i++)
        if (!strcmp(file->agents[i].name, r->name))
            (void)snprintf(url, sizeof url, "%s", file->agents[i].url);
    if (!e && !url[0])
        e = err_set(why, ERR_NOTFOUND, "%s: no agent \"%s\"", r->file, r->name);
    if (!e)
        e = trust_load(&trust, r->tls, file ? &file->tls : NULL, why);
    free(file);
    const struct agent_way way = {.url = url,
                                  .name = r->url ? "" : r->name,
                                  .creds = trust_creds(&trust),
                                  .plain_ok = r->plain_ok};
    if (!e)
        e = agent_open(out, &way, why);
    trust_free(&trust);
    if (!e && r->url && strcmp((*out)->hello.name, r->name) != 0)
        e = err_set(why, ERR_INVALID, "the agent at %s is \"%s\", not \"%s\"",
                    url, (*out)->hello.name, r->name);
    return e;
}

/* What releasing would do; false: nothing. */
static bool show(const char *name, const struct msg_settled *s)
{
    char left[24];
    if (s->owner[0])
        (void)printf(
            "agent %s: would end the lease of %s, %s before its time\n", name,
            s->owner, units_show_ns(left, sizeof left, (double)s->left_ns));
    if (s->attempt[0])
        (void)printf("agent %s: would stop attempt %s\n", name, s->attempt);
    if (s->held[0])
        (void)printf("agent %s: held: %s\n", name, s->held);
    (void)fputs(s->changes, stdout);
    return s->owner[0] || s->attempt[0] || s->held[0] || s->changes[0];
}

static bool agreed(const struct release *r)
{
    char answer[16] = "";
    if (r->yes)
        return true;
    if (!isatty(STDIN_FILENO)) {
        (void)printf("nothing was done; --yes does it\n");
        return false;
    }
    (void)printf("do it? [y/N] ");
    (void)fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && answer[0] == 'y';
}

static enum err work(const struct release *r, struct agent *agent,
                     union request_body *body, int *status, struct why *why)
{
    struct msg_settle settle = {.release = 0};
    enum err e = agent_call(agent, MSG_SETTLE, &settle, body, why);
    if (e)
        return err_wrap(why, e, "agent %s", r->name);
    if (!show(r->name, &body->settled)) {
        (void)printf("agent %s: nothing to release\n", r->name);
        return ERR_OK;
    }
    if (!agreed(r)) {
        *status = 1;
        return ERR_OK;
    }
    settle.release = 1;
    e = agent_call(agent, MSG_SETTLE, &settle, body, why);
    if (e)
        return err_wrap(why, e, "agent %s", r->name);
    (void)printf("agent %s: released\n", r->name);
    return ERR_OK;
}

enum err release_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "NAME",
        .doc = "Release an agent after its owner died, after somebody else has "
               "changed what a trial had changed, or after a restore that "
               "failed: show what that would do, ask, and do it.\v"
               "Exit status: 0 released, or nothing to release; 1 not."};
    struct release r = {.name = NULL};
    struct agent *agent = NULL;
    char title[] = "pitwall agents release";
    argv[0] = title;
    enum err e = command_parse(&argp, argc, argv, &r, NULL, why);
    union request_body *body = malloc(sizeof *body);
    *status = 0;
    if (!e && !body)
        e = err_set(why, ERR_NOMEM, "release");
    if (!e)
        e = reach(&r, &agent, why);
    if (!e)
        e = work(&r, agent, body, status, why);
    free(body);
    agent_close(agent, false);
    return e;
}
