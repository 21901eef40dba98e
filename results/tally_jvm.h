/* What the watch found out about a target that is a Java virtual machine. Of a
 * tally; pure. */
#ifndef PITWALL_RESULTS_TALLY_JVM_H
#define PITWALL_RESULTS_TALLY_JVM_H

#include "common/record.h"

struct tally;
struct metric;

struct tally_jvm {
    bool known;               /* the record below was there */
    struct record_jvm window; /* by its log and its recording */
    uint64_t seconds;         /* of counters within the window, and their sum */
    struct record_sample_jvm counted; /* heap_used: the most */
};

/* Take the record: what log and recording tell of heap and collections stands
 * in the last word's place (final.h), of which such a target knows less, or
 * has none. The first one counts. */
void tally_jvm_take(struct tally *tally, const struct record_jvm *record);

/* Add a second within the window. */
void tally_jvm_add(struct tally *tally, const struct record_sample_jvm *sample);

/* The name of the source of a metric's value where it is the machine's own log
 * and recording; else the metric's. */
const char *tally_jvm_source(const struct tally *tally,
                             const struct metric *metric);

#endif
