/* Collections of a Java virtual machine by each source that tells of them: its
 * log, its flight recording, its counters and the statistics that its server
 * passes on. People have found a recording 12 % off the log where pauses were
 * short, and six times too much where they took its elapsed time for pauses:
 * here both stand side by side, and pauses are compared with pauses. Pure. */
#ifndef PITWALL_RESULTS_AGREE_JVM_H
#define PITWALL_RESULTS_AGREE_JVM_H

struct agree;
struct agree_facts;

/* In the window; NaN: not told. */
struct agree_jvm_source {
    double young, young_ns; /* how many, and their pauses */
    double old, old_ns;     /* all others */
};

struct agree_jvm {
    struct agree_jvm_source log, recording, counters, statistics;
    double log_concurrent_ns;    /* elapsed, of cycles beside the threads */
    double recording_elapsed_ns; /* of the old ones, from begin to end */
    double recording_max_ns;     /* longest pause */
    double log_stops_ns;         /* for whatever reason, reaching them too */
    double log_reaching_ns;      /* of that, until all had stopped */
    double counters_stops_ns;    /* reaching them left out */
};

/* Nothing is told. */
void agree_jvm_init(struct agree_jvm *jvm);

/* Judges of figures, as agree_judge calls them: collections by number and by
 * pauses, the elapsed time of old ones, all stops. */
void agree_jvm_young(struct agree *out, const struct agree_facts *facts);
void agree_jvm_young_pauses(struct agree *out, const struct agree_facts *facts);
void agree_jvm_old(struct agree *out, const struct agree_facts *facts);
void agree_jvm_old_pauses(struct agree *out, const struct agree_facts *facts);
void agree_jvm_elapsed(struct agree *out, const struct agree_facts *facts);
void agree_jvm_stops(struct agree *out, const struct agree_facts *facts);

#endif
