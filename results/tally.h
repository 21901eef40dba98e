/* What the records of one attempt add up to: the sums, extremes and histograms
 * that metrics and validity rules are derived from. Pure; no SQL.
 *
 * Two passes, since samples come before the record that says how long the
 * window was: tally_total sees every record and keeps what is stated for it
 * whole, tally_window closes that, tally_sample adds up the seconds within. */
#ifndef PITWALL_RESULTS_TALLY_H
#define PITWALL_RESULTS_TALLY_H

#include "common/hist.h"
#include "common/record.h"
#include "results/accept.h"
#include "results/closing.h"
#include "results/effective.h"
#include "results/final.h"
#include "results/tally_jvm.h"
#include "results/tally_machine.h"

#define TALLY_TASKS_MAX   64u
#define TALLY_LINKS_MAX   32u
#define TALLY_CONGESTIONS 8u
#define TALLY_DISKS_MAX   32u
#define TALLY_SECONDS_MAX 100000u /* 28 hours; longer: no series */

struct tally_task {
    char name[65]; /* "" for the sum over tasks */
    bool ended;    /* the record with the counts below was there */
    bool docs_unit;
    bool hidden;   /* kept out of reports: there for its errors alone */
    uint64_t step; /* measured steps before its own */
    uint64_t ops, docs, bytes, errors, docs_failed, late, dropped;
    char error_text[201]; /* the first failure's, "": none */
    double offered_s;     /* 0: closed loop */
    double driver_share;  /* of the driver's busiest thread: on a CPU */
    uint64_t window_ns;
    uint64_t begin_ns; /* where its window begins, from the trial's begin */
    uint64_t *series;  /* [n_series] documents of each whole second of it */
    size_t n_series;
    uint64_t lead_docs, lead_s;     /* of its seconds before those */
    struct hist *latency, *service; /* NULL: none */
};

struct tally_link {
    char side[9], iface[17];
    uint64_t rx_bytes, tx_bytes, seconds;
    uint64_t errors, dropped; /* packets, of both directions */
};

/* A congestion control that the load's sockets were seen with. */
struct tally_congestion {
    char name[32];
    uint64_t seen; /* sockets, of all looks, that had it */
};

struct tally_disk {
    char device[33];
    uint64_t busy_ns;
};

/* In each second the thread that had a CPU for longest, of all watched. */
struct tally_top {
    int64_t first, last; /* seconds, when seen */
    bool seen;
    uint64_t ns, wait_ns;           /* on a CPU; waiting for one */
    uint64_t last_ns, last_wait_ns; /* of the last second */
    char name[17];                  /* of the second in which it had one most */
    uint64_t name_ns;
};

/* One side's watch, over the whole seconds of the window; the socket buffers
 * over the warm-up too. */
struct tally_side {
    uint64_t tcp_seconds, retransmits, rcvq_pruned;
    uint64_t sockets, rcvq_bytes, rcvbuf_bytes; /* summed over seconds */
    uint64_t rwnd_limited_ns;
    uint64_t rcvbuf_min, rcvbuf_max;                  /* 0: no sockets seen */
    uint64_t cpu_seconds, busy_ns, steal_ns, idle_ns; /* idle: iowait too */
    uint64_t irq_ns;          /* of busy_ns, interrupts */
    uint64_t proc_ns, own_ns; /* of processes watched; and but the watch */
    struct tally_top top;
    struct tally_disk disks[TALLY_DISKS_MAX];
    size_t n_disks;
    uint64_t pressure_seconds, io_some_ns;
};

struct tally {
    struct tally_task tasks[TALLY_TASKS_MAX];
    size_t n_tasks;
    struct tally_task all; /* after tally_end: of the first step's tasks; its
                              histograms are the only task's, or these sums */
    struct hist *latency_sum, *service_sum;
    uint64_t window_ns; /* after tally_window: time that those measured */
    int64_t whole_s;    /* whole seconds from its begin to its end, >= 1 */
    bool driver_known;
    struct record_driver driver;
    struct tally_link links[TALLY_LINKS_MAX];
    size_t n_links;
    struct tally_side sides[TALLY_SIDES];
    struct tally_congestion congestions[TALLY_CONGESTIONS]; /* of the load */
    size_t n_congestions;
    struct tally_pin pins[TALLY_PINS]; /* seen: from facts */
    size_t n_pins;
    uint64_t polls; /* seconds of `polled`: the target's own, over HTTP */
    struct record_sample_target polled;
    struct record_sample_target untold; /* 1: the target does not tell it */
    uint64_t docs_counted; /* told by one without a last word; see told.h */
    bool docs_told;
    uint64_t stacks, stacks_heads; /* of the target: samples; parsing heads */
    struct hist *kernel_reads;     /* whole window, of the target; NULL: none */
    struct tally_jvm jvm;
    struct final final;         /* filled by the owner, final_init at first */
    struct effective effective; /* likewise */
    struct closing closing;     /* likewise */
    struct accept accept;       /* likewise; all off at first */
    uint64_t planned_ns;  /* likewise: the window as planned; 0: unknown */
    double link_bit_s;    /* likewise: what the link carries; 0: unknown */
    bool apart;           /* likewise: load ran on other machines */
    uint64_t clock_ns;    /* likewise: the start instants' uncertainty ... */
    char clock_agent[65]; /* ... at its largest, and whose; 0: known well */
    uint64_t unanswered;  /* likewise: documents that a load apart sent in */
    char unanswered_agent[65]; /* ... vain, and whose load */
    uint64_t unknown, damaged; /* records, counted by the owner */
    char damage[200];          /* the first one's complaint */
};

/* Start empty. Owns: tally_free (NULL is fine). */
CHECKED enum err tally_new(struct tally **out, struct why *why);
void tally_free(struct tally *tally);

/* First pass. ERR_RANGE: more tasks than TALLY_TASKS_MAX; ERR_CORRUPT: a
 * histogram that cannot be decoded. */
CHECKED enum err tally_total(struct tally *tally, const struct record *record,
                             struct why *why);
void tally_window(struct tally *tally);

/* Second pass; then the sum over tasks. */
CHECKED enum err tally_sample(struct tally *tally, const struct record *record,
                              struct why *why);
CHECKED enum err tally_end(struct tally *tally, struct why *why);

/* The time that n seconds' samples are of: a window below one second has one
 * alone. NaN: none. */
double tally_watched_ns(const struct tally *tally, uint64_t n);

/* Whether a task had a rate and did not keep it: fewer operations than were due
 * by an even schedule, less one percent and three standard deviations of a
 * Poisson schedule; or one in a hundred never started. */
bool tally_missed(const struct tally_task *task);

#endif
