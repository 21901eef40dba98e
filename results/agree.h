/* Figures that several independent sources tell, held against each other. What
 * one source miscounts another one shows. Pure. */
#ifndef PITWALL_RESULTS_AGREE_H
#define PITWALL_RESULTS_AGREE_H

#include <stdbool.h>
#include <stddef.h>

#include "results/agree_jvm.h"

enum agree_source {
    AGREE_DRIVER,
    AGREE_TARGET,
    AGREE_INDEX,
    AGREE_INTERFACE,
    AGREE_COLLECTOR,
    AGREE_LOG,    /* the collector's log */
    AGREE_HICCUP, /* a thread that only waits, and notes how late it wakes */
    AGREE_OF_ALL, /* from here on of a Java virtual machine alone: */
    AGREE_COUNTERS = AGREE_OF_ALL,
    AGREE_RECORDING,
    AGREE_STATISTICS,
    AGREE_SOURCES
};

enum agree_figure {
    AGREE_DOCS,
    AGREE_BODIES,  /* bytes of bodies, in total */
    AGREE_TRAFFIC, /* bytes of payload in the window */
    AGREE_COLLECTIONS,
    AGREE_PAUSES, /* time that collections stopped the target for */
    AGREE_LONGEST,
    AGREE_SERVICE, /* mean service time */
    AGREE_YOUNG,   /* of a Java virtual machine, in the window */
    AGREE_YOUNG_PAUSES,
    AGREE_OLD,
    AGREE_OLD_PAUSES,
    AGREE_OLD_ELAPSED, /* from begin to end: no pauses */
    AGREE_STOPS,
    AGREE_FIGURES
};

/* What each source says of one trial; NaN: nothing. */
struct agree_facts {
    double window_s;
    double docs_acked, docs_counted, index_docs;
    double docs_unknown; /* sent, never answered */
    double body_bytes, target_body_bytes;
    double read_bytes;     /* by the target, in its window */
    double received_bytes; /* of answers, by the driver */
    double link_bytes;     /* of payload, at the target's interface */
    double queued_bytes;   /* most that waited in the target's sockets */
    bool link_both;        /* loopback: it counts answers too */
    double collections, log_collections;    /* since the start */
    double window_collections;              /* in the window */
    double pause_ns, log_pause_ns;          /* in the window; since the start */
    double pause_max_ns, log_pause_max_ns;  /* likewise */
    double hiccup_max_ns, service_max_ns;   /* in the window */
    double service_mean_ns, target_mean_ns; /* likewise */
    struct agree_jvm jvm;
};

/* Nothing is told. */
void agree_facts_init(struct agree_facts *facts);

enum agree_verdict { AGREE_UNKNOWN, AGREE_YES, AGREE_NO };

struct agree {
    const char *name, *unit; /* "ns" and "bytes" as they are stored */
    double values[AGREE_SOURCES];
    double difference; /* largest over smallest, less one; NaN where one source
                          only bounds another */
    enum agree_verdict verdict; /* UNKNOWN: a single source */
    char words[160];            /* why, or what was allowed */
};

/* Judge one figure. */
void agree_judge(struct agree *out, const struct agree_facts *facts,
                 enum agree_figure figure);

/* For judges: these differ by so much. The first fault is the one that is
 * told. */
void agree_differ(struct agree *agree, const char *what, double by,
                  const char *unit);

/* A source's name, as a column has it. */
const char *agree_source_name(enum agree_source source);

#endif
