/* A plan: one challenge of a track, rendered for the load generator: every
 * operation is a stream of bulks, HTTP requests, lists of these, or a sleep.
 *
 *   {"version": 1, "track": "geonames", "challenge": "append-no-conflicts",
 *    "corpora": [{"name": "geonames", "documents": [
 *       {"generator": "geonames", "seed": 1, "docs": 200000, "index":
 * "geonames"} or {"file": "/abs/x.json", "docs": 9, "index": "x"}, without
 * "index" where the file has its action lines; "create", "origin"]}],
 *    "steps": [{"measured": true, "clients": 9, "completed-by": "fill",
 * "tasks": [TASK, TASK]}, {"tasks": [TASK]}], "measured": 0}
 *
 *   TASK: {"name", "operation": "bulk", "clients", "hidden", "warmup_ns",
 *   "measure_ns" or "warmup-iterations", "iterations", "ramp_up_ns", "rate_s",
 *   "rate_unit": "ops" | "docs", "poisson", "timeout_ns", "lenient",
 *   "until_success", "retries", "retry_wait_ns", "no_retry_on_timeout",
 *   "no_retry_on_error", "headers", "tags": "a, b", "meta": "{...}"} and one of
 *     "bulk": {"docs" or "sizes", "corpora": [0], "query", "looped",
 *       "conflicts": "none" | "sequential" | "random", "conflict_probability",
 *       "recency", "on_conflict": "index" | "update", "ingest_ratio" | "_docs"}
 *     "requests": [{"method", "path", "body", "ignore": [404],
 *       "want": {"path": "_all.total.merges.current", "value": 0}}]; a scroll
 *       is one search with "pages", "page_size"
 *     "streams": [[as in "requests"], ...] with "max_connections"
 *     "sleep_ns": N
 *
 * Steps follow one another; the tasks of a measured step run side by side, the
 * others' are done once. "measured": the first that is, of a trial's window. */
#ifndef PITWALL_TRACKS_PLAN_H
#define PITWALL_TRACKS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "tracks/plan_limits.h"

struct jv;

/* Where documents come from: a generator, or a file, one document a line. */
struct plan_documents {
    const char *generator, *file; /* the other one is NULL */
    const char *index;            /* NULL: the file has its action lines */
    bool create;                  /* a data stream: action "create" */
    const char *origin;           /* NULL, or where such a file comes from */
    uint64_t docs, seed;
};

struct plan_corpus {
    const char *name;
    struct plan_documents *documents; /* [n_documents] */
    size_t n_documents;
};

struct plan_request {
    const char *method, *path;
    const char *body; /* NULL: none */
    unsigned ignore[PLAN_IGNORE_MAX];
    size_t n_ignore;           /* statuses that are as good as 2xx */
    uint32_t pages, page_size; /* a scroll of so many at most; 0: none */
    const char *want_path;     /* NULL, or where in the answer, "a.b", */
    const struct jv *want;     /* this value must stand */
};

struct plan_stream {
    struct plan_request *requests; /* [n_requests], one after another */
    size_t n_requests;
};

enum plan_kind { PLAN_BULK, PLAN_REQUESTS, PLAN_COMPOSITE, PLAN_SLEEP };

/* A bulk's ids: none of ours, or in order or at random, some twice. */
enum plan_conflicts {
    PLAN_CONFLICTS_NONE,
    PLAN_CONFLICTS_SEQUENTIAL,
    PLAN_CONFLICTS_RANDOM
};

struct plan_task {
    const char *name;
    const char *operation; /* its type's word, "bulk" */
    enum plan_kind kind;
    uint32_t clients;
    bool hidden; /* reported only if it had errors */
    /* A task ends after measure_ns or after iterations of each client; with
     * neither when its documents are sent, or one iteration, or by its step. */
    uint64_t warmup_ns, measure_ns;
    uint64_t warmup_iterations, iterations;
    uint64_t ramp_up_ns; /* clients start evenly over it; <= warmup_ns */
    double rate_s;       /* of all clients; 0: as fast as it goes */
    bool rate_docs;      /* rate counts documents, not requests */
    bool poisson;
    uint64_t timeout_ns; /* of one request */
    bool lenient;        /* a failure is counted, and the run goes on */
    bool until_success;  /* repeat until it succeeds or times out */
    uint32_t retries;
    uint64_t retry_wait_ns; /* between tries; 0: Rally's half a second */
    bool no_retry_on_timeout, no_retry_on_error; /* no answer; a bad one */
    const char **headers; /* [n_headers], of each request: "Name: value" */
    size_t n_headers;
    const char *tags, *meta; /* for people; NULL: none */
    /* PLAN_BULK */
    uint32_t bulk_docs;                  /* of the largest bulk */
    uint32_t bulk_sizes[PLAN_SIZES_MAX]; /* in turn */
    size_t n_bulk_sizes;                 /* 0: all are bulk_docs */
    uint32_t corpora;                    /* bit i: corpus i */
    enum plan_conflicts conflicts;
    double conflict_probability; /* 0..1 of the documents: an id sent before */
    double recency;              /* 0..1: how much recent ids are preferred */
    bool on_conflict_update;     /* action "update", not "index" */
    double ingest_ratio;         /* above 0, to 1, of each client's slice */
    uint64_t ingest_docs;        /* of all clients; 0: by the ratio */
    bool looped;                 /* begin again at the end, never exhausted */
    const char *query;           /* of the bulk's path: "?pipeline=x" or "" */
    /* PLAN_REQUESTS */
    struct plan_request *requests; /* [n_requests] */
    size_t n_requests;
    /* PLAN_COMPOSITE: streams side by side, each on its own connection */
    struct plan_stream *streams; /* [n_streams] */
    size_t n_streams;
    uint32_t max_connections; /* 0: one for each stream */
    uint64_t sleep_ns;        /* PLAN_SLEEP */
};

struct plan_step {
    struct plan_task *tasks; /* [n_tasks] */
    size_t n_tasks;
    bool measured;
    uint32_t clients;         /* that its tasks share; 0: the sum of theirs */
    const char *completed_by; /* NULL; whose end is the step's; "any" */
};

struct plan {
    const char *track, *challenge;
    struct plan_corpus *corpora; /* [n_corpora] */
    size_t n_corpora;
    struct plan_step *steps; /* [n_steps] */
    size_t n_steps;
    size_t measured; /* number of the first step that is */
    struct jv *root; /* owns the texts */
};

/* Read a plan of len bytes, from another machine: everything is checked.
 * Errors  ERR_RANGE: longer than PLAN_BYTES_MAX. ERR_INVALID: "plan:LINE:
 *         path: what". Owns: *out, for plan_free; NULL on failure. */
CHECKED enum err plan_parse(struct plan **out, const char *json, size_t len,
                            struct why *why);
void plan_free(struct plan *plan);

#endif
