/* What one thread records of one task: counts, histograms over the whole
 * window, and both per second. Fixed memory; recording allocates nothing and
 * takes no lock.
 *
 * An operation belongs to the window by its intended start: so do its latency
 * and its failure. Throughput is of what ended well within the window, begun
 * whenever, as each second's is: those under way when it begins stand for those
 * under way when it ends. Seconds stand in a ring of blocks: the recording
 * thread fills one, the main thread takes full ones out (once a second, so four
 * give it three seconds). When the ring is full that second's block is lost and
 * counted; the window's figures are not touched by that. */
#ifndef PITWALL_LOAD_RECORDER_H
#define PITWALL_LOAD_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/hist.h"
#include "common/measure.h"
#include "load/span.h"
#include "load/totals.h"

#define RECORDER_BLOCKS     4u
#define RECORDER_LATE_NS    1000000ull
#define RECORDER_ERROR_TEXT 200
#define RECORDER_CLASSES    6u /* of statuses by their first digit; 0: none */

/* How an operation ended. */
enum recorder_outcome {
    RECORDER_OK,     /* answered 2xx */
    RECORDER_FAILED, /* answered otherwise */
    RECORDER_LOST,   /* sent, at least in part, and never answered */
    RECORDER_UNSENT  /* no connection: not a byte was sent */
};

struct recorder_event {
    enum recorder_outcome outcome;
    unsigned status; /* OK, FAILED; of a composite the worst one's */
    bool given_up;   /* LOST, UNSENT: waited for too long */
    uint64_t intended_ns, sent_ns, done_ns;
    uint32_t requests;         /* sent; of a composite operation several */
    uint32_t docs, docs_taken; /* sent; acknowledged one by one */
    bool assumed;              /* the latter: by the status alone */
    uint64_t body_bytes, received_bytes;
};

struct recorder_counts {
    uint64_t ops, docs, bytes, received, errors, docs_failed, late, dropped;
    uint64_t classes[RECORDER_CLASSES]; /* answers by status class */
    uint64_t lost, unsent, given_up;    /* of errors; given_up of those two */
};

/* What was answered 2xx within some time. */
struct recorder_flow {
    uint64_t ops, docs, bytes, received;
};

struct recorder_second {
    int64_t second; /* from the origin; negative: before it */
    struct recorder_counts counts;
    uint64_t in_flight; /* at its end */
    struct hist latency, service;
};

struct recorder {
    struct span *span;  /* of the window, which may be found out on the way */
    struct span own;    /* where no other is given */
    uint64_t origin_ns; /* where seconds are counted from */
    struct recorder_counts counts; /* of what is due in the window */
    struct recorder_flow flow;     /* of what ends in it */
    struct totals totals;
    struct hist latency, service;         /* of the window */
    char error_text[RECORDER_ERROR_TEXT]; /* the first failure */
    uint64_t in_flight, last_done_ns;
    /* For progress, any thread. */
    atomic_uint_least64_t requests, docs, bytes, errors;
    uint64_t seconds_lost;
    uint64_t second_end_ns;
    atomic_uint filled, taken; /* blocks, ever */
    struct recorder_second blocks[RECORDER_BLOCKS];
};

/* An empty recorder of this window, whose seconds are counted from its begin;
 * about 2.8 MB, all touched. NULL: no memory. recorder_free accepts NULL. */
struct recorder *recorder_new(const struct measure_window *window);
void recorder_free(struct recorder *r);

/* Begin anew at t0 with the span that several share (borrowed), and seconds
 * counted from origin, before the first event. */
void recorder_share(struct recorder *r, struct span *span, uint64_t t0_ns,
                    uint64_t origin_ns);

/* An operation starts, and ends (done_ns never falls from one to the next).
 * Thread: the recording one. */
void recorder_start(struct recorder *r);
void recorder_add(struct recorder *r, const struct recorder_event *event);

/* Close the seconds that are over at now_ns. Thread: the recording one. */
void recorder_tick(struct recorder *r, uint64_t now_ns);

/* Hand over the second that is not over, after the last event. */
void recorder_end(struct recorder *r);

/* Keep text as the failure's, if it is the first. */
void recorder_explain(struct recorder *r, const char *text);

/* The oldest full block, NULL when there is none; valid until recorder_took,
 * which empties it and gives it back. Thread: one other than the recording one.
 */
const struct recorder_second *recorder_full(struct recorder *r);
void recorder_took(struct recorder *r);

/* Add c to into. */
void recorder_counts_add(struct recorder_counts *into,
                         const struct recorder_counts *c);

/* Add from's window and totals to into (its blocks are left alone). */
void recorder_merge(struct recorder *into, const struct recorder *from);

#endif
