/* A plan: one challenge of a track, rendered for the load generator. Nothing is
 * left to look up: every operation is a stream of bulks from corpora, a list of
 * HTTP requests, or a sleep.
 *
 *   {"version": 1, "track": "geonames", "challenge": "append-no-conflicts",
 *    "corpora": [{"name": "geonames", "documents": [
 *       {"generator": "geonames", "seed": 1, "docs": 200000, "index":
 * "geonames"} or {"file": "/abs/x.json", "docs": 9, "index": "x"}, without
 * "index" where the file has its action lines]}], "steps": [{"measured": false,
 * "tasks": [TASK]}, ...]}
 *
 *   TASK: {"name", "operation": "bulk", "clients", "warmup_ns", "measure_ns",
 *          "rate_s", "rate_unit": "ops" | "docs", "poisson", "timeout_ns",
 *          "lenient", "until_success", "retries"} and one of
 *          "bulk": {"docs": 5000, "corpora": [0]}
 *          "requests": [{"method", "path", "body", "ignore": [404]}]
 *          "sleep_ns": N
 *
 * Steps follow one another; the tasks of step number "measured" run side by
 * side, those of the others are done once. */
#ifndef PITWALL_TRACKS_PLAN_H
#define PITWALL_TRACKS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct jv;

#define PLAN_BYTES_MAX     ((size_t)256 << 10)
#define PLAN_NAME_MAX      63 /* bytes of a track, challenge, task, index */
#define PLAN_CORPORA_MAX   16
#define PLAN_DOCUMENTS_MAX 64 /* of one corpus */
#define PLAN_STEPS_MAX     256
#define PLAN_TASKS_MAX     16 /* of one step */
#define PLAN_REQUESTS_MAX  64 /* of one task */
#define PLAN_IGNORE_MAX    8
#define PLAN_CLIENTS_MAX   10000
#define PLAN_BULK_DOCS_MAX 1000000
#define PLAN_DOCS_MAX      1000000000
#define PLAN_PATH_MAX      4096
#define PLAN_TIMEOUT_NS    60000000000ull /* as Rally */
#define PLAN_TIME_MAX_NS   (24ull * 3600 * 1000000000)

/* Where documents come from: a generator, or a file of one JSON document a
 * line. */
struct plan_documents {
    const char *generator, *file; /* the other one is NULL */
    const char *index;            /* NULL: the file has its action lines */
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
    size_t n_ignore; /* statuses that are as good as 2xx */
};

enum plan_kind { PLAN_BULK, PLAN_REQUESTS, PLAN_SLEEP };

struct plan_task {
    const char *name;
    const char *operation; /* its type's word, "bulk" */
    enum plan_kind kind;
    uint32_t clients;
    uint64_t warmup_ns, measure_ns; /* 0: until the documents are all sent */
    double rate_s;                  /* of all clients; 0: as fast as it goes */
    bool rate_docs;                 /* rate counts documents, not requests */
    bool poisson;
    uint64_t timeout_ns; /* of one request */
    bool lenient;        /* a failure is counted, and the run goes on */
    bool until_success;  /* repeat until it succeeds or times out */
    uint32_t retries;
    /* PLAN_BULK */
    uint32_t bulk_docs;
    uint32_t corpora; /* bit i: corpus i */
    /* PLAN_REQUESTS */
    struct plan_request *requests; /* [n_requests] */
    size_t n_requests;
    /* PLAN_SLEEP */
    uint64_t sleep_ns;
};

struct plan_step {
    struct plan_task *tasks; /* [n_tasks] */
    size_t n_tasks;
};

struct plan {
    const char *track, *challenge;
    struct plan_corpus *corpora; /* [n_corpora] */
    size_t n_corpora;
    struct plan_step *steps; /* [n_steps] */
    size_t n_steps;
    size_t measured; /* number of the step that is */
    struct jv *root; /* owns the texts */
};

/* Read a plan of len bytes. Everything in it is checked: it may come from
 * another machine.
 * Errors  ERR_RANGE: longer than PLAN_BYTES_MAX. ERR_INVALID: "plan:LINE:
 *         path: what". Owns: *out, for plan_free; NULL on failure. */
CHECKED enum err plan_parse(struct plan **out, const char *json, size_t len,
                            struct why *why);
void plan_free(struct plan *plan);

#endif
