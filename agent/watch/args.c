#include "agent/watch/args.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/sampler.h"
#include "common/child.h"
#include "common/units.h"

enum {
    OPT_CHILD = 256,
    OPT_SIDE,
    OPT_URL,
    OPT_PORT,
    OPT_ADDRESS,
    OPT_CONGESTION,
    OPT_TELEMETRY,
    OPT_PGRP,
    OPT_READY,
    OPT_EXPECT,
    OPT_STATS,
    OPT_MAP,
    OPT_HASH,
    OPT_WINDOW,
    OPT_JVM
};

static const struct argp_option options[] = {
    {"child", OPT_CHILD, NULL, 0,
     "Speak the child contract on file descriptors 3 and 4; always given", 0},
    {"side", OPT_SIDE, "target|load", 0, "Whose namespace this is", 0},
    {"url", OPT_URL, "URL", 0,
     "Where the target listens: wait for it, tell it the window, ask for its "
     "statistics",
     0},
    {"ready", OPT_READY, "PATH", 0,
     "What of that URL answers 2xx when the target is ready: one that is not "
     "pitwall-target",
     0},
    {"window", OPT_WINDOW, NULL, 0, "Tell such a target the window as well", 0},
    {"expect", OPT_EXPECT, "TEXT", 0, "Text that the answer to that has", 0},
    {"stats", OPT_STATS, "PATH", 0, "Where such a target has statistics, JSON",
     0},
    {"map", OPT_MAP, "FIGURE=[N*]POINTER", 0,
     "A figure of them, where it is, and what to multiply it by; repeatable",
     0},
    {"hash", OPT_HASH, "NAME=FILE", 0,
     "Tell the SHA-256 of FILE as a fact; repeatable", 0},
    {"jvm", OPT_JVM, NULL, 0,
     "The target is a Java virtual machine that keeps gc.log and a recording "
     "in the current folder: read them and its counters",
     0},
    {"port", OPT_PORT, "PORT", 0, "The target's port: whose sockets to watch",
     0},
    {"address", OPT_ADDRESS, "ADDRESS", 0,
     "The target's address, where capacity is measured at the port above (of "
     "65535: below); without it capacity is not measured",
     0},
    {"congestion", OPT_CONGESTION, "NAME", 0,
     "Congestion control that capacity is measured with (the system's)", 0},
    {"telemetry", OPT_TELEMETRY, "LIST", 0,
     "Of link,tcp,cpu,disk,proc,target; all these without it; none for none. "
     "Besides capacity (what the link carries, measured before the trial), "
     "perf (stacks) and reads (bytes per read, from the kernel's tracepoints)",
     0},
    {"pgrp", OPT_PGRP, NULL, 0,
     "Watch the processes of the own process group only", 0},
    {"help", 'h', NULL, 0, "Print this help", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

struct given {
    struct watch_args *args;
    bool child, side;
};

static bool device_named(const char *word, size_t len, unsigned *device)
{
    static const char *const words[] = {
#define X(name, word) word,
        DEVICES(X)
#undef X
    };
    for (unsigned i = 0; i < DEVICE_LAST; i++)
        if (strlen(words[i]) == len && !memcmp(words[i], word, len)) {
            *device = 1u << i;
            return true;
        }
    return false;
}

enum err args_devices(const char *list, unsigned *devices, struct why *why)
{
    *devices = *list ? 0 : DEVICE_ALL;
    if (!strcmp(list, "none"))
        return ERR_OK;
    for (const char *word = list; *word;) {
        size_t len = strcspn(word, ",");
        unsigned device = 0;
        if (!device_named(word, len, &device))
            return err_set(why, ERR_USAGE,
                           "telemetry \"%.*s\": of link, tcp, cpu, disk, proc, "
                           "target, capacity, perf, reads, or none",
                           len < 40 ? (int)len : 40, word);
        *devices |= device;
        word += len;
        if (*word == ',' && !*++word)
            return err_set(why, ERR_USAGE,
                           "telemetry \"%.80s\": ends in a comma", list);
    }
    return ERR_OK;
}

static void set_side(struct given *g, const char *arg, struct argp_state *state)
{
    g->side = true;
    g->args->load_side = !strcmp(arg, "load");
    if (!g->args->load_side && strcmp(arg, "target"))
        argp_error(state, "--side %s: target or load", arg);
}

static void set_port(struct given *g, const char *arg, struct argp_state *state)
{
    struct why why = {0};
    uint64_t port = 0;
    if (units_u64(arg, 65535, &port, &why) || !port)
        argp_error(state, "--port %s: a number from 1 to 65535", arg);
    g->args->port = (uint16_t)port;
}

static void set_hash(struct given *g, char *arg, struct argp_state *state)
{
    char *equals = strchr(arg, '=');
    if (!equals || equals == arg || g->args->n_hashes == WATCH_HASHES_MAX)
        argp_error(state, "--hash %s: at most %u of NAME=FILE", arg,
                   WATCH_HASHES_MAX);
    *equals = '\0';
    g->args->hashes[g->args->n_hashes++] = (struct watch_hash){arg, equals + 1};
}

static bool parse_foreign(struct given *g, int key, char *arg,
                          struct argp_state *state)
{
    struct why why = {0};
    switch (key) {
    case OPT_READY:
        g->args->ready = arg;
        return true;
    case OPT_WINDOW:
        g->args->tell_window = true;
        return true;
    case OPT_EXPECT:
        g->args->expect = arg;
        return true;
    case OPT_STATS:
        g->args->stats_path = arg;
        return true;
    case OPT_MAP:
        if (stats_map_add(&g->args->map, arg, &why))
            argp_error(state, "--%s", why.text);
        return true;
    case OPT_HASH:
        set_hash(g, arg, state);
        return true;
    case OPT_JVM:
        g->args->jvm = true;
        return true;
    default:
        return false;
    }
}

static void check(const struct given *g, struct argp_state *state)
{
    if (!g->child)
        argp_error(state, "--child is missing: pitwall-agent starts this "
                          "program");
    if (!g->side || !g->args->port)
        argp_error(state, "--side and --port are needed");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct given *g = state->input;
    struct why why = {0};
    if (parse_foreign(g, key, arg, state))
        return 0;
    switch (key) {
    case OPT_CHILD:
        g->child = true;
        return 0;
    case OPT_SIDE:
        set_side(g, arg, state);
        return 0;
    case OPT_URL:
        g->args->url = arg;
        return 0;
    case OPT_PORT:
        set_port(g, arg, state);
        return 0;
    case OPT_ADDRESS:
        g->args->address = arg;
        return 0;
    case OPT_CONGESTION:
        g->args->congestion = arg;
        return 0;
    case OPT_TELEMETRY:
        if (args_devices(arg, &g->args->devices, &why))
            argp_error(state, "--%s", why.text);
        return 0;
    case OPT_PGRP:
        g->args->own_pgrp = true;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case 'V':
        (void)fprintf(state->out_stream, "pitwall-watch %s\n", PITWALL_VERSION);
        exit(0);
    case ARGP_KEY_ARG:
        argp_error(state, "%s: no such argument; options only", arg);
        return 0;
    case ARGP_KEY_END:
        check(g, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void args_parse(struct watch_args *args, int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Telemetry of one side of a pitwall trial. Started by "
               "pitwall-agent only.",
    };
    struct given given = {.args = args};
    *args = (struct watch_args){.devices = DEVICE_ALL,
                                .control = CHILD_FD_CONTROL,
                                .data = CHILD_FD_DATA,
                                .proc_dir = "/proc"};
    argp_err_exit_status = 2; /* cli.md; glibc says 64 */
    (void)argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &given);
}
