/* What one thread counted: totals since the start, and the same within the
 * measured window, with the window's histograms. Each thread writes its own
 * tally; any thread may read the totals meanwhile, and everything once the
 * writer is gone. */
#ifndef PITWALL_TARGET_TALLY_H
#define PITWALL_TARGET_TALLY_H

#include "common/hist.h"
#include "target/window.h"

/* Requests to /_pitwall/ and the reads of their connections are not counted:
 * the observer leaves no trace. */
#define TALLY_FIELDS(X)                                                        \
    X(docs)        /* items 2xx whose response the kernel took */              \
    X(docs_failed) /* items not 2xx, likewise */                               \
    X(docs_lost)   /* items 2xx whose response could not be delivered */       \
    X(requests)    /* responses, of any status, that the kernel took */        \
    X(rejected)    /* of them: 429 */                                          \
    X(errors)      /* of them: neither 2xx nor 429 */                          \
    X(body_bytes)  /* of them: bytes of the requests' bodies */                \
    X(connections) /* accepted */                                              \
    X(reads)       /* that brought bytes */                                    \
    X(read_bytes)                                                              \
    X(zero_reads)   /* that brought none: nothing there, or the end */         \
    X(buffer_count) /* receive buffers allocated */                            \
    X(buffer_bytes)                                                            \
    X(bulk_docs)   /* items that a bulk thread accepted */                     \
    X(bulk_failed) /* items that it refused */                                 \
    X(bulk_ns)     /* time it spent on them */                                 \
    X(wait_ns)     /* time that their requests waited for a bulk thread */     \
    X(queue_full)  /* requests refused with 429: too many waited */

enum tally_field {
#define X(name) TALLY_##name,
    TALLY_FIELDS(X)
#undef X
        TALLY_LAST
};

/* A plain sum of tallies. */
struct counts {
    uint64_t of[TALLY_LAST];
};

struct tally {
    const struct window *window;
    _Atomic uint64_t total[TALLY_LAST];
    uint64_t generation; /* of the window that the following belong to */
    uint64_t t0_ns, t1_ns;
    uint64_t in_window[TALLY_LAST];
    struct hist read_bytes, reads_per_loop, service_ns;
};

/* A tally of zeros; window is borrowed. NULL: no memory. */
struct tally *tally_new(const struct window *window);
void tally_free(struct tally *t);

/* Whether now belongs to the window; a new window begins at zero. The writer's
 * own thread. */
bool tally_counts(struct tally *t, uint64_t now_ns);

/* Add n to a field, at now. */
void tally_add(struct tally *t, enum tally_field field, uint64_t n,
               uint64_t now_ns);

/* Add t's totals to sum. Thread: any. */
void tally_sum(const struct tally *t, struct counts *sum);

/* Add t's window to sum, nothing when t never saw the current window. The
 * writer is gone. */
void tally_sum_window(const struct tally *t, struct counts *sum);

/* Whether t's histograms are of the current window. The writer is gone. */
bool tally_current(const struct tally *t);

/* The field's name. */
const char *tally_name(enum tally_field field);

#endif
