#include "load/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "load/body.h"
#include "load/cache.h"
#include "load/options_http.h"
#include "tracks/generator.h"
#include "tracks/plan.h"

#define THREADS_DEFAULT 2u

enum {
    KEY_ARRIVAL = 256,
    KEY_WARMUP,
    KEY_BODY,
    KEY_JSON,
    KEY_PER_CONNECTION,
    KEY_TIMEOUT,
    KEY_CONGESTION,
    KEY_MEMORY,
    KEY_TRACK,
    KEY_CHALLENGE,
    KEY_TARGET,
    KEY_PARAM,
    KEY_TEST_MODE,
    KEY_CHILD,
    KEY_SHARE,
    KEY_CACHE,
    KEY_CACHE_LIMIT,
    KEY_PROVIDER,
    KEY_SINK,
    KEY_DOCS,
    KEY_SEED,
    KEY_HDR,
    KEY_USAGE
};

static const struct argp_option table[] = {
    {"clients", 'c', "N", 0, "simulated clients, a connection each (8)", 1},
    {"threads", 't', "N", 0, "threads that drive them (2)", 1},
    {"duration", 'd', "TIME", 0, "measured time (10s; of a track: its own)", 1},
    {"warmup", KEY_WARMUP, "TIME", 0, "load before it, not measured (0s)", 1},
    {"rate", 'R', "RATE", 0,
     "open loop: 100/s or \"5000 docs/s\" of all clients together; latency "
     "counts from the intended start (as fast as it goes)",
     1},
    {"arrival", KEY_ARRIVAL, "KIND", 0,
     "of an open loop: fixed or poisson (fixed)", 1},
    {"requests-per-connection", KEY_PER_CONNECTION, "N", 0,
     "then a new connection; 0: never (0)", 1},
    {"request-timeout", KEY_TIMEOUT, "TIME", 0,
     "how long an answer is waited for, beyond the measured time as well (60s; "
     "of a track: its tasks')",
     1},
    {"congestion", KEY_CONGESTION, "NAME", 0,
     "congestion control of the connections (the system's)", 1},
    {"engine", KEY_ENGINE, "NAME", 0,
     "raw (plain HTTP/1.1; the fastest) or curl (libcurl: TLS, HTTP/2, "
     "proxies); both count alike (raw where it can)",
     1},
    {"method", 'X', "NAME", 0, "HTTP method (GET; with a body POST)", 2},
    {"header", 'H', "NAME: VALUE", 0, "one more header, may be repeated", 2},
    {"body", KEY_BODY, "FILE", 0,
     "sent with each request; - is standard input; to a path that ends in "
     "/_bulk its documents are counted by the answers",
     2},
    {"user", 'u', "NAME:PASSWORD", 0, "basic authentication", 2},
    {"cacert", KEY_CACERT, "FILE", 0,
     "PEM file of the authorities that https trusts (the system's)", 2},
    {"insecure", 'k', NULL, 0, "https without looking at certificates", 2},
    {"http2", KEY_HTTP2, NULL, 0, "HTTP/2, a connection for each client", 2},
    {"proxy", KEY_PROXY, "URL", 0,
     "through this proxy (none, whatever the environment says)", 2},
    {"track", KEY_TRACK, "FILE", 0, "drive a challenge of this track", 3},
    {"challenge", KEY_CHALLENGE, "NAME", 0, "which one (the default)", 3},
    {"target", KEY_TARGET, "URL", 0,
     "of a track (http://127.0.0.1:9200); several are nodes of one target, to "
     "which clients are dealt in turn",
     3},
    {"track-param", KEY_PARAM, "NAME=VALUE", 0,
     "for a placeholder of the track, may be repeated", 3},
    {"test-mode", KEY_TEST_MODE, NULL, 0,
     "a track with few documents, no warm-up, at most 10 s", 3},
    {"memory", KEY_MEMORY, "SIZE", 0,
     "for what is rendered: heads, and the bulks that need ids (512m)", 3},
    {"cache", KEY_CACHE, "DIR", 0,
     "where corpora are kept (XDG_CACHE_HOME/pitwall, ~/.cache/pitwall)", 3},
    {"cache-limit", KEY_CACHE_LIMIT, "SIZE", 0,
     "of all corpora there; those unused for longest go first (16g)", 3},
    {"provider", KEY_PROVIDER, "KIND", 0,
     "of bulks: file, the whole corpus; or static, 8 bodies of it again and "
     "again, which measures a driver or a link, not a target that indexes "
     "(file)",
     3},
    {"sink", KEY_SINK, "KIND", 0,
     "http; or none: every thread only reads its clients' bodies, and nothing "
     "is sent (http)",
     3},
    {"docs", KEY_DOCS, "N", 0, "documents of corpus make", 4},
    {"seed", KEY_SEED, "N", 0, "its seed (1)", 4},
    {"output", 'o', "FILE", 0, "where to (standard output)", 4},
    {"json", KEY_JSON, NULL, 0, "the result as JSON, every number unrounded",
     5},
    {"hdr", KEY_HDR, "FILE", 0,
     "latency and service time of each task and second in the log format of "
     "HdrHistogram, in ns",
     5},
    {"child", KEY_CHILD, NULL, 0,
     "for pitwall-agent: descriptors 3 to 5 are control, data and plan", 5},
    {"share", KEY_SHARE, "K/N", 0,
     "drive a track's clients together with others: this is number K, from 0, "
     "of N; its share is every Nth client, number 0 does what is done once "
     "(0/1)",
     3},
    {"help", 'h', NULL, 0, "give this help list", -1},
    {"usage", KEY_USAGE, NULL, 0, "give a short usage message", -1},
    {"version", 'V', NULL, 0, "print the version", -1},
    {0}};

static const char doc[] =
    "Drives HTTP load and measures latency that waiting cannot hide.\v"
    "Sizes are binary (64k, 2g), times 500ms 10s 5m, rates 100/s. Without "
    "--rate each client sends its next request when the last one is answered.";

static const char args_doc[] = "URL\n--track FILE\ncorpus make NAME --docs N";

struct parse {
    struct options *options;
    struct why *why;
    enum err e;
    const char *words[3];
    unsigned n_words;
};

static enum err named(struct why *why, enum err e, const char *option)
{
    return e ? err_wrap(why, e, "%s", option) : ERR_OK;
}

static enum err count(const char *option, const char *text, uint64_t min,
                      uint64_t max, uint64_t *out, struct why *why)
{
    enum err e = units_u64(text, max, out, why);
    if (!e && *out < min)
        e = err_set(why, ERR_INVALID, "\"%s\": at least %llu", text,
                    (unsigned long long)min);
    return named(why, e, option);
}

static enum err count32(const char *option, const char *text, uint32_t min,
                        uint32_t max, uint32_t *out, struct why *why)
{
    uint64_t n = 0;
    enum err e = count(option, text, min, max, &n, why);
    *out = (uint32_t)n;
    return e;
}

static enum err param(struct options *o, char *text, struct why *why)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(why, ERR_USAGE,
                       "--track-param \"%s\": accepted: NAME=VALUE", text);
    if (o->n_params == OPTIONS_PARAMS_MAX)
        return err_set(why, ERR_USAGE, "--track-param: more than %d",
                       OPTIONS_PARAMS_MAX);
    *equals = 0;
    o->params[o->n_params++] =
        (struct track_param){.name = text, .value = equals + 1};
    return ERR_OK;
}

static enum err arrival(struct options *o, const char *text, struct why *why)
{
    o->load.poisson = !strcmp(text, "poisson");
    o->load.has_arrival = true;
    if (!o->load.poisson && strcmp(text, "fixed") != 0)
        return err_set(why, ERR_USAGE,
                       "--arrival \"%s\": accepted: fixed, poisson", text);
    return ERR_OK;
}

/* A time above 0. */
static enum err lasting(const char *option, const char *text, uint64_t *out,
                        struct why *why)
{
    enum err e = units_duration(text, out, why);
    if (!e && (!*out || *out > PLAN_TIME_MAX_NS))
        e = err_set(why, ERR_INVALID, "\"%s\": accepted: above 0, up to 24h",
                    text);
    return named(why, e, option);
}

static enum err warmup(struct options *o, const char *text, struct why *why)
{
    enum err e = units_duration(text, &o->load.warmup_ns, why);
    if (!e && o->load.warmup_ns > PLAN_TIME_MAX_NS)
        e = err_set(why, ERR_INVALID, "\"%s\": accepted: up to 24h", text);
    o->load.has_warmup = true;
    return named(why, e, "--warmup");
}

static enum err rate(struct options *o, const char *text, struct why *why)
{
    struct options_load *l = &o->load;
    enum err e = units_rate(text, &l->rate_s, l->rate_unit, why);
    if (!e &&
        (l->rate_s > 1e9 || (*l->rate_unit && strcmp(l->rate_unit, "ops") &&
                             strcmp(l->rate_unit, "docs"))))
        e = err_set(why, ERR_INVALID,
                    "\"%s\": accepted: 100/s, \"100 ops/s\", \"5000 docs/s\"",
                    text);
    return named(why, e, "--rate");
}

static enum err memory(struct options *o, const char *text, struct why *why)
{
    uint64_t bytes = 0;
    enum err e = units_bytes(text, &bytes, why);
    if (!e && (bytes < 65536 || bytes > (1ull << 40)))
        e = err_set(why, ERR_INVALID, "\"%s\": accepted: 64k to 1024g", text);
    o->load.memory_bytes = (size_t)bytes;
    return named(why, e, "--memory");
}

static enum err cache_limit(struct options *o, const char *text,
                            struct why *why)
{
    enum err e = units_bytes(text, &o->cache_limit_bytes, why);
    if (!e && o->cache_limit_bytes < 65536)
        e = err_set(why, ERR_INVALID, "\"%s\": accepted: from 64k on", text);
    return named(why, e, "--cache-limit");
}

/* One of two words. */
static enum err either(const char *option, const char *text, const char *no,
                       const char *yes, bool *out, struct why *why)
{
    *out = !strcmp(text, yes);
    if (!*out && strcmp(text, no) != 0)
        return err_set(why, ERR_USAGE, "%s \"%s\": accepted: %s, %s", option,
                       text, no, yes);
    return ERR_OK;
}

static enum err share(struct options *o, const char *text, struct why *why)
{
    char index[8];
    uint64_t k = 0, n = 0;
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : sizeof index;
    bool good = len < sizeof index;
    if (good) {
        (void)snprintf(index, sizeof index, "%.*s", (int)len, text);
        good = !units_u64(index, SHARE_AGENTS_MAX, &k, NULL) &&
               !units_u64(slash + 1, SHARE_AGENTS_MAX, &n, NULL) && k < n;
    }
    if (!good)
        return err_set(why, ERR_USAGE,
                       "--share \"%s\": accepted: K/N, K from 0 to N-1, N up "
                       "to %d",
                       text, SHARE_AGENTS_MAX);
    o->share = (struct share){.index = (uint32_t)k, .of = (uint32_t)n};
    return ERR_OK;
}

static enum err seed(struct options *o, const char *text, struct why *why)
{
    return count("--seed", text, 0, UINT32_MAX, &o->seed, why);
}

/* The options of the load itself. */
static bool set_load(struct parse *p, int key, char *arg)
{
    struct options_load *l = &p->options->load;
    switch (key) {
    case 'c':
        p->e =
            count32("--clients", arg, 1, PLAN_CLIENTS_MAX, &l->clients, p->why);
        return true;
    case 't':
        p->e = count32("--threads", arg, 1, OPTIONS_THREADS_MAX, &l->threads,
                       p->why);
        return true;
    case KEY_PER_CONNECTION:
        p->e = count32("--requests-per-connection", arg, 0, UINT32_MAX,
                       &l->requests_per_connection, p->why);
        return true;
    case 'd':
        p->e = lasting("--duration", arg, &l->measure_ns, p->why);
        return true;
    case KEY_TIMEOUT:
        p->e = lasting("--request-timeout", arg, &l->timeout_ns, p->why);
        return true;
    case KEY_WARMUP:
        p->e = warmup(p->options, arg, p->why);
        return true;
    case 'R':
        p->e = rate(p->options, arg, p->why);
        return true;
    case KEY_ARRIVAL:
        p->e = arrival(p->options, arg, p->why);
        return true;
    case KEY_MEMORY:
        p->e = memory(p->options, arg, p->why);
        return true;
    case KEY_CACHE_LIMIT:
        p->e = cache_limit(p->options, arg, p->why);
        return true;
    case KEY_PROVIDER:
        p->e = either("--provider", arg, "file", "static", &p->options->few,
                      p->why);
        return true;
    case KEY_SINK:
        p->e =
            either("--sink", arg, "http", "none", &p->options->reads, p->why);
        return true;
    default:
        return false;
    }
}

/* The first is the target's URL, more of them its other nodes; how many may be
 * is said when they are looked up. */
static bool add_node(struct options *o, const char *url)
{
    if (!o->url)
        o->url = url;
    else if (o->n_nodes++ < OPTIONS_NODES_MAX)
        o->nodes[o->n_nodes - 1] = url;
    return true;
}

/* The options that are a text or a flag. */

static bool set_plain(struct options *o, int key, char *arg)
{
    switch (key) {
    case 'o':
        o->output = arg;
        return true;
    case KEY_BODY:
        o->body = arg;
        return true;
    case KEY_CONGESTION:
        o->congestion = arg;
        return true;
    case KEY_CACHE:
        o->cache = arg;
        return true;
    case KEY_TRACK:
        o->track = arg;
        return true;
    case KEY_CHALLENGE:
        o->challenge = arg;
        return true;
    case KEY_TARGET:
        return add_node(o, arg);
    case KEY_HDR:
        o->hdr = arg;
        return true;
    case KEY_JSON:
        o->json = true;
        return true;
    case KEY_TEST_MODE:
        o->test_mode = true;
        return true;
    case KEY_CHILD:
        o->mode = OPTIONS_CHILD;
        return true;
    default:
        return false;
    }
}

static error_t set(int key, char *arg, struct argp_state *state)
{
    struct parse *p = state->input;
    if (p->e || set_load(p, key, arg) || set_plain(p->options, key, arg) ||
        options_http_set(p->options, key, arg, &p->e, p->why))
        return 0;
    switch (key) {
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        (void)printf("pitwall-load %s\n", PITWALL_VERSION);
        exit(0);
    case KEY_PARAM:
        p->e = param(p->options, arg, p->why);
        return 0;
    case KEY_DOCS:
        p->e =
            count("--docs", arg, 1, PLAN_DOCS_MAX, &p->options->docs, p->why);
        return 0;
    case KEY_SHARE:
        p->e = share(p->options, arg, p->why);
        return 0;
    case KEY_SEED:
        p->e = seed(p->options, arg, p->why);
        return 0;
    case ARGP_KEY_ARG:
        if (p->n_words == sizeof p->words / sizeof *p->words)
            p->e = err_set(p->why, ERR_USAGE, "\"%s\": one argument too many",
                           arg);
        else
            p->words[p->n_words++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err check_corpus(struct options *o, struct why *why)
{
    char names[200];
    o->mode = OPTIONS_CORPUS;
    if (!generator_find(o->corpus))
        return err_set(why, ERR_USAGE,
                       "corpus make \"%s\": unknown; accepted: %s", o->corpus,
                       generator_names(names, sizeof names));
    if (!o->docs)
        return err_set(why, ERR_USAGE, "corpus make: --docs N is missing");
    return ERR_OK;
}

/* What belongs together. */
static enum err check(struct parse *p)
{
    struct options *o = p->options;
    struct why *why = p->why;
    if (p->n_words && !strcmp(p->words[0], "corpus")) {
        if (p->n_words != 3 || strcmp(p->words[1], "make") != 0)
            return err_set(why, ERR_USAGE,
                           "corpus: accepted: corpus make NAME --docs N");
        o->corpus = p->words[2];
        return check_corpus(o, why);
    }
    if (p->n_words > 1)
        return err_set(why, ERR_USAGE, "\"%s\": one argument too many",
                       p->words[1]);
    if (o->docs || o->output)
        return err_set(why, ERR_USAGE,
                       "--docs and --output: only for "
                       "corpus make");
    if (o->mode == OPTIONS_CHILD && o->hdr)
        return err_set(why, ERR_USAGE, "--hdr: not with --child");
    if (o->mode != OPTIONS_CHILD && !o->load.threads)
        o->load.threads = THREADS_DEFAULT;
    if (o->mode == OPTIONS_CHILD || o->track) {
        if (p->n_words)
            return err_set(why, ERR_USAGE,
                           "\"%s\": a track's target is given by --target",
                           p->words[0]);
        if (o->body || o->method)
            return err_set(why, ERR_USAGE,
                           "--body and --method: only with a URL");
        if (o->mode != OPTIONS_CHILD)
            o->mode = OPTIONS_TRACK;
        return ERR_OK;
    }
    if (o->challenge || o->n_params || o->url || o->test_mode || o->share.of ||
        o->few || o->reads || o->cache)
        return err_set(why, ERR_USAGE,
                       "--challenge, --target, --track-param, --test-mode, "
                       "--share, --provider, --sink, --cache: only with "
                       "--track");
    if (!p->n_words)
        return err_set(why, ERR_USAGE,
                       "nothing to do: give a URL, --track FILE or corpus "
                       "make (see --help)");
    o->url = p->words[0];
    return ERR_OK;
}

enum err options_parse(struct options *o, int argc, char **argv,
                       struct why *why)
{
    static const struct argp argp = {table, set,  args_doc, doc,
                                     NULL,  NULL, NULL};
    struct parse p = {.options = o, .why = why};
    *o = (struct options){.mode = OPTIONS_URL,
                          .seed = 1,
                          .cache_limit_bytes = CACHE_LIMIT_BYTES,
                          .load = {.memory_bytes = BODY_MEMORY_BYTES}};
    argp_err_exit_status = 2;
    error_t e = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &p);
    if (e && !p.e)
        p.e = err_set(why, ERR_USAGE, "command line: %s", strerror(e));
    return p.e ? p.e : check(&p);
}
