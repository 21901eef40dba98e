#include "controller/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "controller/answers.h"
#include "controller/command_course.h"
#include "controller/command_data.h"
#include "controller/command_report.h"
#include "controller/help.h"

static const struct command commands[] = {
    {"demo", "a small matrix on this machine, from nothing to the report",
     demo_main},
    {"run", "run an experiment", run_main},
    {"plan", "show an experiment's trials in order; touches nothing",
     plan_main},
    {"resume", "go on with an experiment that was cut short", resume_main},
    {"extend", "add blocks or levels to an experiment, and run them",
     extend_main},
    {"reproduce", "run published experiments, and tell what agrees",
     reproduce_main},
    {"hold", "set one cell up, and keep it to be looked at", hold_main},
    {"status", "where an experiment stands, and the time left", status_main},
    {"stop", "end an experiment in good order", stop_main},
    {"list", "list the experiments in the store", list_main},
    {"show", "one trial's summary", show_main},
    {"fetch", "write one trial's artifacts to files", fetch_main},
    {"report", "an experiment's matrix of results", report_main},
    {"compare", "tell differences between cells or experiments", compare_main},
    {"effects", "what each factor does, and which level to choose",
     effects_main},
    {"serve", "reports as live pages", serve_main},
    {"query", "read-only SQL on the store", query_main},
    {"export", "give an experiment out as CSV, JSON or histogram logs",
     export_main},
    {"import", "take in figures that others measured", import_main},
    {"history", "cells across experiments, and where they change",
     history_main},
    {"merge", "take in the experiments of another store", merge_main},
    {"check", "whether an experiment's figures can be believed", check_main},
    {"note", "keep a note with an experiment or a trial", note_main},
    {"invalidate", "take a trial out of every figure", invalidate_main},
    {"metrics", "every metric: unit, direction, source, definition",
     metrics_main},
    {"agents", "reach agents and tell what they are", agents_main},
    {"ca", "make the certificates of a lab", ca_main},
};

#define N_COMMANDS (sizeof commands / sizeof *commands)

struct words {
    int argc;
    char **argv; /* the command and what follows */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_ARG:
        words->argc = state->argc - state->next + 1;
        words->argv = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a command is needed");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The list of commands stands in the help text, made from the table. */
static const char *make_doc(char *buf, size_t size)
{
    size_t used = 0;
    int n = snprintf(buf, size,
                     "A benchmark lab for network ingest."
                     "\vCommands:\n");
    used += n > 0 ? (size_t)n : 0;
    for (size_t i = 0; i < N_COMMANDS && used < size; i++) {
        n = snprintf(buf + used, size - used, "  %-10s %s\n", commands[i].name,
                     commands[i].doc);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used < size)
        (void)snprintf(buf + used, size - used,
                       "\n`pitwall COMMAND --help' tells a command's options.");
    return buf;
}

static enum err unknown(const char *name, struct why *why)
{
    char names[480];
    size_t used = 0;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%s",
                         i ? ", " : "", commands[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return err_set(why, ERR_USAGE, "unknown command \"%s\"; there are: %s",
                   name, names);
}

enum err command_main(int argc, char **argv, int *status, struct why *why)
{
    char doc[4096], name[64];
    struct words words = {0};
    struct argp argp = {.parser = parse,
                        .args_doc = "COMMAND [OPTION...]",
                        .doc = make_doc(doc, sizeof doc)};
    struct help_argp full;
    argp_err_exit_status = 2;
    help_add(&argp, &full);
    if (argp_parse(&full.argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL,
                   &words))
        return err_set(why, ERR_USAGE, "the command line cannot be read");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(words.argv[0], commands[i].name))
            continue;
        (void)snprintf(name, sizeof name, "pitwall %s", commands[i].name);
        words.argv[0] = name;
        return commands[i].main(words.argc, words.argv, status, why);
    }
    return unknown(words.argv[0], why);
}

enum err command_parse(const struct argp *argp, int argc, char **argv,
                       void *input, const struct why *refused, struct why *why)
{
    struct help_argp full;
    help_add(argp, &full);
    error_t rc = argp_parse(&full.argp, argc, argv, ARGP_NO_HELP, NULL, input);
    if (!rc)
        return ERR_OK;
    if (refused && refused->text[0])
        return err_set(why, ERR_USAGE, "%s", refused->text);
    return err_set(why, ERR_USAGE, "%s: %s", argv[0], strerror(rc));
}
