#include "tests/bench/fidelity/args.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "common/units.h"

enum key {
    KEY_REFERENCE = 0x100,
    KEY_HISTOGRAMS,
    KEY_REPLAY,
    KEY_CELLS,
    KEY_FIXED20,
    KEY_RUN,
    KEY_REPLAYS,
    KEY_JOBS,
    KEY_PITWALL,
    KEY_SEED,
    KEY_REQUIRE,
    KEY_JSON
};

/* clang-format off */
static const struct argp_option options[] = {
    {"reference", KEY_REFERENCE, "FILE", 0, "Runs of the JVM "
     "(tests/data/jvm-reference.csv of the source)", 0},
    {"histograms", KEY_HISTOGRAMS, "FILE", 0, "Sizes of their reads "
     "(tests/data/jvm-read-histograms.csv)", 0},
    {"replay", KEY_REPLAY, 0, 0, "Feed the measured reads straight into the "
     "receive path and heap, deterministic and free of the kernel's noise, "
     "instead of running the cells live", 0},
    {"cells", KEY_CELLS, "N", 0, "Only N of the scored runs, evenly chosen", 0},
    {"fixed20", KEY_FIXED20, 0, 0, "Only the twenty runs of the regular test",
     0},
    {"run", KEY_RUN, "RUN", 0, "Only this run, scored or not", 0},
    {"replays", KEY_REPLAYS, "N", 0, "Do each run N times and take the mean: a "
     "replay (3, with other chance each) may alone be as far off as the JVM is "
     "from itself; live 1", 0},
    {"jobs", KEY_JOBS, "N", 0, "Replay N runs at a time (1)", 0},
    {"pitwall", KEY_PITWALL, "FILE", 0, "The program that runs cells live (the "
     "one built with this)", 0},
    {"seed", KEY_SEED, "N", 0, "Of the first replay's chance (1)", 0},
    {"require", KEY_REQUIRE, "SHARE", 0, "Fail when fewer of the scored runs "
     "agree, or when a generation's size differs (0)", 0},
    {"json", KEY_JSON, 0, 0,
     "A JSON document instead of the table; the last line goes to standard "
     "error",
     0},
    {0}};
/* clang-format on */

struct parsing {
    struct args *args;
    struct why *why;
    enum err e;
};

static enum err take_share(const char *text, double *out, struct why *why)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= 0 && *out <= 1))
        return err_set(why, ERR_USAGE, "--require \"%s\": accepted are 0 to 1",
                       text);
    return ERR_OK;
}

static enum err take_count(const char *text, const char *option, uint64_t most,
                           uint64_t *out, struct why *why)
{
    enum err e = units_u64(text, most, out, why);
    if (!e && !*out)
        e = err_set(why, ERR_USAGE, "\"0\": at least 1");
    return e ? err_wrap(why, e, "%s", option) : ERR_OK;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct parsing *p = state->input;
    struct args *a = p->args;
    switch (key) {
    case KEY_REFERENCE:
        a->reference = arg;
        return 0;
    case KEY_HISTOGRAMS:
        a->histograms = arg;
        return 0;
    case KEY_REPLAY:
        a->replay = true;
        return 0;
    case KEY_PITWALL:
        a->pitwall = arg;
        return 0;
    case KEY_FIXED20:
        a->fixed20 = true;
        return 0;
    case KEY_JSON:
        a->json = true;
        return 0;
    case KEY_CELLS:
        p->e = units_u64(arg, 100000, &a->cells, p->why);
        break;
    case KEY_RUN:
        p->e = units_u64(arg, 1000000, &a->run, p->why);
        break;
    case KEY_REPLAYS:
        p->e = take_count(arg, "--replays", 1000, &a->replays, p->why);
        break;
    case KEY_JOBS:
        p->e = take_count(arg, "--jobs", 64, &a->jobs, p->why);
        break;
    case KEY_SEED:
        p->e = units_u64(arg, UINT64_MAX, &a->seed, p->why);
        break;
    case KEY_REQUIRE:
        p->e = take_share(arg, &a->require, p->why);
        break;
    case ARGP_KEY_ARG:
        p->e =
            err_set(p->why, ERR_USAGE, "\"%s\": there are only options", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return p->e ? EINVAL : 0;
}

enum err args_read(struct args *args, int argc, char **argv, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = take,
        .doc =
            "Hold the target's heap against runs of a real JVM with Netty: its "
            "cells run live by `pitwall run' (as root: on links in network "
            "namespaces), until about as much is allocated as was then, or "
            "--replay. Last line: fidelity within=SHARE cells=N, the share of "
            "the scored runs (links lo and eth200m, and tcp_rmem low; Serial) "
            "whose bytes outside buffers and in buffers per ingested byte both "
            "agree within 25 % or 0.15. Live, reads may be other than the "
            "JVM's were: off_by_reads counts those that are off with buffers "
            "per byte off as well, per_buffer is the share that agrees as seen "
            "by a byte of buffers instead, not_run counts those that the "
            "target cannot do."};
    struct parsing p = {args, why, ERR_OK};
    *args =
        (struct args){.seed = 1,
                      .jobs = 1,
                      .pitwall = FIDELITY_PITWALL,
                      .reference = FIDELITY_DATA "/jvm-reference.csv",
                      .histograms = FIDELITY_DATA "/jvm-read-histograms.csv"};
    argp_err_exit_status = 2;
    error_t failed = argp_parse(&argp, argc, argv, 0, NULL, &p);
    if (p.e)
        return p.e;
    if (failed)
        return err_set(why, ERR_USAGE, "the command line cannot be read");
    if (!args->replay && args->jobs > 1)
        return err_set(why, ERR_USAGE, "--jobs: live cells run one at a time");
    if (!args->replays)
        args->replays = args->replay ? 3 : 1;
    return ERR_OK;
}
