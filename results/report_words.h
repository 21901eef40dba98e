/* Figures of a report in the words that people paste: few digits, the unit or a
 * letter for its size at the number, the spread beside it. Pure. */
#ifndef PITWALL_RESULTS_REPORT_WORDS_H
#define PITWALL_RESULTS_REPORT_WORDS_H

#include "results/report.h"

/* The pieces of one figure; each may be empty. */
struct report_words {
    char value[64];  /* "1607k", "46.57 MB", "oom 1/3" */
    char spread[64]; /* "±8.8%", "(5..7)" */
    char mark[32];   /* REPORT_MARK_DRIVER, "n=2/3" */
    bool ended;      /* the value stands for no figure */
};

/* At the driver's own figures: it was the limit in some of the trials. */
#define REPORT_MARK_DRIVER "†"

/* An entry's words; all empty for one without trials. */
void report_words(const struct report_entry *entry, const struct metric *metric,
                  struct report_words *out);

/* A shown value with this shown unit into buf (returned, 32 bytes): four
 * significant digits, from 10,000 on with k, M, G; bytes as "46.57 MB" with
 * decimal prefixes, as the published tables have them. */
const char *report_number(double value, const char *unit, char *buf,
                          size_t size);

/* Whether report_number writes the unit itself ("bytes", "bytes/s"). */
bool report_number_has_unit(const char *unit);

#endif
