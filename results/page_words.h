/* An experiment's answer in sentences, from its report: how it ended, what was
 * the limit, where the first metric is highest and lowest, and how much of that
 * the lab's own noise could be. */
#ifndef PITWALL_RESULTS_PAGE_WORDS_H
#define PITWALL_RESULTS_PAGE_WORDS_H

#include <stdio.h>

#include "results/report.h"

/* Write the sentences as a list. */
CHECKED enum err page_words(FILE *out, const struct report *report,
                            struct db *db, struct why *why);

#endif
