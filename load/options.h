/* The command line of pitwall-load, read and checked, not yet acted upon. */
#ifndef PITWALL_LOAD_OPTIONS_H
#define PITWALL_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "load/engine.h"
#include "load/share.h"
#include "tracks/track.h"

#define OPTIONS_PARAMS_MAX  64
#define OPTIONS_HEADERS_MAX 8192 /* bytes, of all -H together */
#define OPTIONS_THREADS_MAX 64   /* 3 MB of histograms each, per task */

enum options_mode {
    OPTIONS_URL,    /* one request, over and over */
    OPTIONS_TRACK,  /* a track's challenge */
    OPTIONS_CHILD,  /* under the executor, the plan on a descriptor */
    OPTIONS_CORPUS, /* corpus make */
};

/* What of a task is overridden; zero: as the task has it. */
struct options_load {
    uint32_t clients, threads, requests_per_connection;
    uint64_t measure_ns, warmup_ns, timeout_ns;
    bool has_warmup;
    double rate_s;
    char rate_unit[16];
    bool poisson, has_arrival;
    size_t memory_bytes;
};

#define OPTIONS_NODES_MAX 15u

struct options {
    enum options_mode mode;
    struct options_load load;
    enum engine_choice engine;
    struct engine_http http;
    struct share share; /* of the plan's clients */
    const char *url;    /* of the target, NULL: none was given */
    const char *nodes[OPTIONS_NODES_MAX]; /* [n_nodes] more URLs of it */
    size_t n_nodes;
    const char *method; /* NULL: GET, with a body POST */
    const char *body;   /* a file, "-" for stdin; NULL: none */
    const char *congestion;
    char headers[OPTIONS_HEADERS_MAX]; /* "Name: value\r\n" each */
    const char *track, *challenge;
    struct track_param params[OPTIONS_PARAMS_MAX];
    size_t n_params;
    const char *hdr; /* a file; NULL: none */
    bool json, test_mode;
    const char *cache;          /* of corpora; NULL: the user's */
    uint64_t cache_limit_bytes; /* of all of them */
    bool few;                   /* --provider static */
    bool reads;                 /* --sink none: no requests are made */
    /* corpus make */
    const char *corpus, *output;
    uint64_t docs, seed;
};

/* Read the command line; texts point into argv, which is changed. --help and
 * --version print and exit.
 * Errors  ERR_USAGE, ERR_INVALID, ERR_RANGE: which option, its value, what is
 *         accepted. */
CHECKED enum err options_parse(struct options *o, int argc, char **argv,
                               struct why *why);

#endif
