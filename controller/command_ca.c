/* The command ca: the lab's authorities, and what they sign. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cert.h"
#include "common/units.h"
#include "controller/ca_folder.h"
#include "controller/command.h"

#define DAY_S      86400
#define VALID_DAYS 90 /* short, in place of lists of revoked ones */
#define DAYS_MAX   3650
#define NS_PER_S   1000000000ull

enum { KEY_ROLE = 256, KEY_VALID, KEY_RENEW };

struct words {
    const char *verb, *dir, *name;
    enum ca_role role;
    int64_t valid_s;
    bool renew, issues; /* issues: an option of issue was given */
};

static const struct argp_option options[] = {
    {"role", KEY_ROLE, "agent|controller", 0,
     "what the certificate is for (default: agent)", 0},
    {"valid", KEY_VALID, "TIME", 0,
     "how long, such as 30d or 12h, at most 3650d (default: 90d)", 0},
    {"renew", KEY_RENEW, NULL, 0,
     "replace the certificate and key that NAME has", 0},
    {0}};

/* "30d", or a duration. */
static enum err valid_of(const char *text, int64_t *out, struct why *why)
{
    char number[16];
    size_t n = strlen(text);
    uint64_t value = 0;
    enum err e;
    if (n > 1 && n < sizeof number && text[n - 1] == 'd') {
        (void)snprintf(number, sizeof number, "%.*s", (int)n - 1, text);
        e = units_u64(number, DAYS_MAX, &value, NULL);
        value *= DAY_S;
    } else {
        e = units_duration(text, &value, NULL);
        value /= NS_PER_S;
    }
    if (!e && value >= 1 && value <= (uint64_t)DAYS_MAX * DAY_S) {
        *out = (int64_t)value;
        return ERR_OK;
    }
    return err_set(why, ERR_USAGE,
                   "--valid \"%.40s\"; accepted: 1s to 3650d, such as 30d, 12h",
                   text);
}

static void take_role(struct words *w, const char *arg,
                      struct argp_state *state)
{
    if (!strcmp(arg, "agent"))
        w->role = CA_AGENT;
    else if (!strcmp(arg, "controller"))
        w->role = CA_CONTROLLER;
    else
        argp_error(state, "--role %s; accepted: agent, controller", arg);
}

static void check_words(const struct words *w, struct argp_state *state)
{
    if (!w->verb || (strcmp(w->verb, "init") && strcmp(w->verb, "issue")))
        argp_error(state, "say what to do: init DIR, or issue DIR NAME");
    else if (!w->dir)
        argp_error(state, "%s: name the folder of the authorities", w->verb);
    else if (!strcmp(w->verb, "issue") && !w->name)
        argp_error(state, "issue: whose certificate? name it after DIR");
    else if (!strcmp(w->verb, "init") && (w->name || w->issues))
        argp_error(state, "init takes a folder alone");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    struct why why = {""};
    w->issues |= key >= KEY_ROLE && key <= KEY_RENEW;
    switch (key) {
    case KEY_ROLE:
        take_role(w, arg, state);
        return 0;
    case KEY_VALID:
        if (valid_of(arg, &w->valid_s, &why))
            argp_error(state, "%s", why.text);
        return 0;
    case KEY_RENEW:
        w->renew = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 2)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        *(state->arg_num == 0   ? &w->verb
          : state->arg_num == 1 ? &w->dir
                                : &w->name) = arg;
        return 0;
    case ARGP_KEY_END:
        check_words(w, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err init(const struct words *w, struct why *why)
{
    enum err e = ca_folder_init(w->dir, (int64_t)time(NULL), why);
    if (!e)
        (void)printf("two authorities in %s, valid for %d years; keep its keys "
                     "from everybody\n",
                     w->dir, CA_FOLDER_YEARS);
    return e;
}

static enum err issue(const struct words *w, struct why *why)
{
    char when[24];
    int64_t until_s;
    const struct ca_folder_wish wish = {.dir = w->dir,
                                        .name = w->name,
                                        .role = w->role,
                                        .now_s = (int64_t)time(NULL),
                                        .valid_s = w->valid_s,
                                        .renew = w->renew};
    enum err e = ca_folder_issue(&wish, &until_s, why);
    if (!e)
        (void)printf("%s/%s: %s, valid until %s\n", w->dir, w->name,
                     w->role == CA_AGENT ? "agent" : "controller",
                     cert_show_time(when, sizeof when, until_s));
    return e;
}

enum err ca_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "init DIR\nissue DIR NAME",
        .doc = "Make the certificates of a lab for tls+tcp. `init' makes two "
               "authorities in DIR, one that signs agents and one that signs "
               "controllers. `issue' makes DIR/NAME with ca.pem, cert.pem and "
               "key.pem: take that folder to NAME's machine and name it with "
               "--tls there. NAME is an agent's name in the lab file, or what "
               "you call an operator.\v"
               "Exit status: 0 made, 1 not, 2 usage."};
    struct words w = {.valid_s = (int64_t)VALID_DAYS * DAY_S};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (e)
        return e;
    e = !strcmp(w.verb, "init") ? init(&w, why) : issue(&w, why);
    return e ? err_wrap(why, e, "ca %s", w.verb) : ERR_OK;
}
