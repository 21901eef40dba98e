#include "controller/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/units.h"
#include "controller/emulate.h"
#include "controller/experiment_file.h"
#include "controller/trials.h"

enum {
    KEY_TRACK = 256,
    KEY_CHALLENGE,
    KEY_NAME,
    KEY_EXCLUDE,
    KEY_ZIP,
    KEY_ORDER,
    KEY_SEED,
    KEY_WARMUP,
    KEY_MEASURE,
    KEY_TELEMETRY,
    KEY_CANARY,
    KEY_ACCEPT,
    KEY_ENGINE,
    KEY_TRACK_PARAM,
    KEY_TEST_MODE,
    KEY_AGENT,
    KEY_AGENTS,
    KEY_BENCH,
    KEY_LOCAL,
    KEY_TARGETS,
    KEY_PLAIN,
    KEY_TLS,
    KEY_DB,
    KEY_TAG,
    KEY_NO_CEILING,
    KEY_EMULATE,
    KEY_RETRIES,
    KEY_ON_ERROR,
    KEY_QUIET,
    KEY_JSON
};

static const struct argp_option experiment_options[] = {
    {"track", KEY_TRACK, "TRACK", 0,
     "workload: a file, or the name of a shipped track", 0},
    {"challenge", KEY_CHALLENGE, "NAME", 0,
     "the track's challenge (default: its default one)", 0},
    {"matrix", 'm', "NAME=LEVEL,...", 0,
     "a factor and its levels, such as heap=1g,2g; label@level names a level; "
     "may be given once per factor",
     0},
    {"emulate-ethernet", KEY_EMULATE, NULL, 0,
     "on one machine: a veth for link=ethernet, stored as what it is and "
     "marked in every report",
     0},
    {"iterations", 'n', "N", 0, "measure every cell N times (default: 6)", 0},
    {"exclude", KEY_EXCLUDE, "NAME=LEVEL,...", 0,
     "leave out the cells that hold all of these levels; repeatable", 0},
    {"zip", KEY_ZIP, "NAME,NAME,...", 0,
     "let these factors advance together instead of crossing them; repeatable",
     0},
    {"order", KEY_ORDER, "KIND", 0,
     "blocks (every cell once per block, shuffled; default), random or listed",
     0},
    {"seed", KEY_SEED, "N", 0, "seed of the order (default: drawn)", 0},
    {"warmup", KEY_WARMUP, "TIME", 0, "unmeasured load first (default: 2s)", 0},
    {"measure", KEY_MEASURE, "TIME", 0, "measured time (default: 10s)", 0},
    {"telemetry", KEY_TELEMETRY, "NAME,...", 0,
     "what is watched each second (default: link,tcp,cpu,disk,proc,target; "
     "none: nothing); "
     "capacity: what the link carries, measured before each trial (else once "
     "a link); reads: bytes per read of any target, from the kernel, and "
     "perf: stacks, in extra trials that enter no other figure",
     0},
    {"canary", KEY_CANARY, "WHEN", 0,
     "repeat the first cell, hidden, to measure the lab's own noise: auto "
     "(from 4 cells; default), on or off",
     0},
    {"accept", KEY_ACCEPT, "RULE=VALUE", 0,
     "what of a disturbance leaves a trial valid, or off: foreign_cpu=0.35 and "
     "steal_cpu=0.1 (cores), throttled=0.01 (of the window), link_errors=0 "
     "(packets), drift=0.2 (of throughput, between the window's halves); "
     "all=off; repeatable",
     0},
    {"engine", KEY_ENGINE, "NAME", 0,
     "what drives the load: raw or curl, the same as -m load.engine=NAME "
     "(default: raw)",
     0},
    {"track-param", KEY_TRACK_PARAM, "NAME=VALUE", 0,
     "fill a placeholder of the track; repeatable", 0},
    {"test-mode", KEY_TEST_MODE, NULL, 0,
     "try out: small corpus, no warm-up, one measured second", 0},
    {"name", KEY_NAME, "NAME", 0, "name of the experiment", 0},
    {0}};

static const struct argp_option lab_options[] = {
    {"agent", KEY_AGENT, "URL", 0,
     "run on this agent: tls+tcp://[NAME@]HOST:PORT with --tls, ssh://HOST, "
     "ipc:///PATH, or tcp://HOST:PORT with --insecure-plain; repeated, the "
     "first one has the target and the others load it over link=ethernet",
     1},
    {"agents", KEY_AGENTS, "FILE", 0,
     "run on the benches of this lab file: its agents and benches as JSON", 1},
    {"bench", KEY_BENCH, "NAME,...", 0,
     "which of the lab file's benches (default: all, side by side)", 1},
    {"local", KEY_LOCAL, NULL, 0,
     "run on an agent started here for this command (the default)", 1},
    {"targets", KEY_TARGETS, "DIR", 0,
     "definitions of targets for that agent, DIR/NAME.json: servers that "
     "others wrote, as levels of the factor target",
     1},
    {"tls", KEY_TLS, "DIR", 0,
     "your credentials for tls+tcp, made by `pitwall ca issue'", 1},
    {"insecure-plain", KEY_PLAIN, NULL, 0,
     "allow tcp:// without encryption or authentication", 1},
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 1},
    {"tag", KEY_TAG, "NAME=VALUE", 0, "mark the experiment; repeatable", 1},
    {"no-ceiling", KEY_NO_CEILING, NULL, 0,
     "do not measure, before the first trial, what each load reaches against a "
     "target that only reads and answers",
     1},
    {"retries", KEY_RETRIES, "N", 0,
     "repeat a trial that failed from outside up to N times (default: 1)", 1},
    {"on-error", KEY_ON_ERROR, "WHAT", 0,
     "when a trial failed for good: continue (default) or abort", 1},
    {"quiet", KEY_QUIET, NULL, 0, "no progress", 1},
    {"json", KEY_JSON, NULL, 0, "print tables as JSON", 1},
    {0}};

static error_t push(struct options *o, struct options_list *list, char *arg)
{
    if (list->n == OPTIONS_LIST_MAX) {
        (void)err_set(&o->why, ERR_RANGE, "%s: given more than %u times", arg,
                      OPTIONS_LIST_MAX);
        return EINVAL;
    }
    list->items[list->n++] = arg;
    return 0;
}

/* Where an option's text goes; NULL: not one of these. */
static const char **text_of(struct options *o, int key)
{
    switch (key) {
    case KEY_TRACK:
        return &o->track;
    case KEY_CHALLENGE:
        return &o->challenge;
    case KEY_NAME:
        return &o->name;
    case 'n':
        return &o->iterations;
    case KEY_ORDER:
        return &o->order;
    case KEY_SEED:
        return &o->seed;
    case KEY_WARMUP:
        return &o->warmup;
    case KEY_MEASURE:
        return &o->measure;
    case KEY_TELEMETRY:
        return &o->telemetry;
    case KEY_CANARY:
        return &o->canary;
    case KEY_ENGINE:
        return &o->engine;
    case KEY_AGENTS:
        return &o->lab_file;
    case KEY_BENCH:
        return &o->bench;
    case KEY_TARGETS:
        return &o->targets;
    case KEY_TLS:
        return &o->tls;
    case KEY_DB:
        return &o->db;
    case KEY_RETRIES:
        return &o->retries;
    case KEY_ON_ERROR:
        return &o->on_error;
    default:
        return NULL;
    }
}

static struct options_list *list_of(struct options *o, int key)
{
    switch (key) {
    case 'm':
        return &o->matrix;
    case KEY_EXCLUDE:
        return &o->excludes;
    case KEY_ZIP:
        return &o->zips;
    case KEY_ACCEPT:
        return &o->accepts;
    case KEY_TRACK_PARAM:
        return &o->track_params;
    case KEY_TAG:
        return &o->tags;
    case KEY_AGENT:
        return &o->agents;
    default:
        return NULL;
    }
}

static bool *switch_of(struct options *o, int key)
{
    switch (key) {
    case KEY_TEST_MODE:
        return &o->test_mode;
    case KEY_LOCAL:
        return &o->local;
    case KEY_PLAIN:
        return &o->insecure_plain;
    case KEY_NO_CEILING:
        return &o->no_ceiling;
    case KEY_EMULATE:
        return &o->emulate;
    case KEY_QUIET:
        return &o->quiet;
    case KEY_JSON:
        return &o->json;
    default:
        return NULL;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    const char **text = text_of(o, key);
    struct options_list *list = list_of(o, key);
    bool *on = switch_of(o, key);
    if (text)
        *text = arg;
    else if (list)
        return push(o, list, arg);
    else if (on)
        *on = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static error_t parse_experiment(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &o->stopping;
    return key == ARGP_KEY_INIT ? 0 : parse(key, arg, state);
}

static const struct argp_child children[] = {{&stopping_argp, 0, NULL, 0}, {0}};
const struct argp options_experiment_argp = {.options = experiment_options,
                                             .parser = parse_experiment,
                                             .children = children};
const struct argp options_lab_argp = {.options = lab_options, .parser = parse};

const char *options_db(const struct options *o)
{
    return o->db ? o->db : "lab.db";
}

/* A factor of one level, so that the experiment's file, as stored, repeats it.
 */
static enum err add_fixed(struct experiment *ex, const char *name,
                          const char *value, struct why *why)
{
    struct level level = {0};
    enum err e =
        setup_copy(level.value, sizeof level.value, "value", value, why);
    if (e)
        return e;
    memcpy(level.label, level.value, sizeof level.label);
    return experiment_axis(ex, name, &level, 1, why);
}

static enum err add_engine(const struct options *o, struct experiment *ex,
                           struct why *why)
{
    enum err e =
        o->engine ? add_fixed(ex, "load.engine", o->engine, why) : ERR_OK;
    return e ? err_wrap(why, e, "--engine") : ERR_OK;
}

/* --track-param k=v is such a factor. */
static enum err add_track_params(const struct options *o, struct experiment *ex,
                                 struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < o->track_params.n; i++) {
        char name[SETUP_NAME_MAX + 1], full[SETUP_NAME_MAX + 16];
        const char *value = NULL;
        e = level_split(o->track_params.items[i], name, sizeof name, &value,
                        why);
        if (!e && !value[0])
            e = err_set(why, ERR_INVALID, "an empty value for %s", name);
        (void)snprintf(full, sizeof full, "track.%s", name);
        if (!e)
            e = add_fixed(ex, full, value, why);
        if (e)
            e = err_wrap(why, e, "--track-param");
    }
    return e;
}

typedef enum err (*text_setter)(struct experiment *ex, const char *text,
                                struct why *why);

static enum err add_list(const struct options_list *list, const char *option,
                         text_setter add, struct experiment *ex,
                         struct why *why)
{
    for (size_t i = 0; i < list->n; i++) {
        enum err e = add(ex, list->items[i], why);
        if (e)
            return err_wrap(why, e, "%s", option);
    }
    return ERR_OK;
}

static enum err take_seed(const struct options *o, struct experiment *ex,
                          struct why *why)
{
    uint32_t drawn = 0;
    if (o->seed) {
        ex->has_seed = true;
        enum err e = units_u64(o->seed, UINT64_MAX, &ex->seed, why);
        return e ? err_wrap(why, e, "--seed") : ERR_OK;
    }
    if (ex->has_seed)
        return ERR_OK;
    /* 32 bits, since people copy it by hand. */
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        return err_errno(why, errno, "draw a seed");
    ex->seed = drawn;
    return ERR_OK;
}

static enum err take_times(const struct options *o, struct experiment *ex,
                           struct why *why)
{
    enum err e = ERR_OK;
    if (o->test_mode) { /* Rally's meaning of it: figures of no worth */
        accept_off(&ex->accept);
        ex->warmup_ns = 0;
        ex->measure_ns = 1000000000;
    }
    if (o->warmup && (e = units_duration(o->warmup, &ex->warmup_ns, why)))
        return err_wrap(why, e, "--warmup");
    if (o->measure && (e = units_duration(o->measure, &ex->measure_ns, why)))
        return err_wrap(why, e, "--measure");
    if (!ex->measure_ns)
        return err_set(why, ERR_RANGE, "--measure: \"0\" measures nothing");
    return ERR_OK;
}

static enum err take_words(const struct options *o, struct experiment *ex,
                           struct why *why)
{
    const struct {
        const char *option, *text;
        text_setter set;
    } words[] = {{"--iterations", o->iterations, experiment_iterations},
                 {"--order", o->order, experiment_order},
                 {"--telemetry", o->telemetry, experiment_telemetry},
                 {"--canary", o->canary, experiment_canary}};
    enum err e = ERR_OK;
    if (o->track) { /* from the working directory, not from the file's folder */
        ex->folder[0] = '\0';
        e = setup_copy(ex->track, sizeof ex->track, "--track", o->track, why);
    }
    if (!e && o->challenge)
        e = setup_copy(ex->challenge, sizeof ex->challenge, "--challenge",
                       o->challenge, why);
    if (!e && o->name)
        e = setup_copy(ex->name, sizeof ex->name, "--name", o->name, why);
    for (size_t i = 0; !e && i < sizeof words / sizeof *words; i++)
        if (words[i].text && (e = words[i].set(ex, words[i].text, why)))
            e = err_wrap(why, e, "%s", words[i].option);
    return e;
}

/* Without a name an experiment is called as its track. */
static void name_it(struct experiment *ex)
{
    if (ex->name[0])
        return;
    const char *slash = strrchr(ex->track, '/');
    const char *base = slash ? slash + 1 : ex->track;
    size_t n = strlen(base);
    n -= n > 5 && !strcmp(base + n - 5, ".json") ? 5 : 0;
    (void)snprintf(ex->name, sizeof ex->name, "%.*s", (int)n,
                   n ? base : "experiment");
}

static enum err take_accept(struct experiment *ex, const char *text,
                            struct why *why)
{
    char name[SETUP_NAME_MAX + 1];
    const char *value = NULL;
    enum err e = level_split(text, name, sizeof name, &value, why);
    return e ? e : accept_set(&ex->accept, name, value, why);
}

static enum err fill(const struct options *o, struct experiment *ex,
                     struct why *why)
{
    struct jv *doc = NULL;
    enum err e = ERR_OK;
    experiment_init(ex);
    if (o->file) {
        e = jv_load(&doc, o->file, EXPERIMENT_FILE_MAX, why);
        if (!e)
            e = experiment_file_read(ex, doc, o->file, why);
    }
    if (!e)
        e = take_words(o, ex, why);
    if (!e)
        e = take_times(o, ex, why);
    if (!e)
        e = take_seed(o, ex, why);
    if (!e)
        e = add_list(&o->matrix, "-m", experiment_option, ex, why);
    if (!e && o->emulate) {
        e = emulate_ethernet(ex, why);
        e = e ? err_wrap(why, e, "--emulate-ethernet") : ERR_OK;
    }
    if (!e)
        e = add_track_params(o, ex, why);
    if (!e)
        e = add_engine(o, ex, why);
    if (!e && doc)
        e = experiment_file_conditions(ex, doc, why);
    if (!e)
        e = add_list(&o->excludes, "--exclude", experiment_exclude, ex, why);
    if (!e)
        e = add_list(&o->zips, "--zip", experiment_zip, ex, why);
    if (!e)
        e = add_list(&o->accepts, "--accept", take_accept, ex, why);
    if (!e)
        e = stopping_plan(&o->stopping, o->iterations, ex, why);
    name_it(ex);
    jv_free(doc);
    return e;
}

enum err options_experiment(const struct options *o, struct experiment **out,
                            struct why *why)
{
    *out = NULL;
    if (!o->file && !o->track)
        return err_set(why, ERR_USAGE,
                       "nothing to run: give EXPERIMENT.json or --track "
                       "(see --help)");
    struct experiment *ex = malloc(sizeof *ex);
    if (!ex)
        return err_set(why, ERR_NOMEM, "experiment");
    enum err e = fill(o, ex, why);
    if (e) {
        free(ex);
        return e;
    }
    *out = ex;
    return ERR_OK;
}
