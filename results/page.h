/* An experiment's report as one page of HTML that needs nothing beside it:
 * style, script and data are inside, and a policy that lets nothing else in. */
#ifndef PITWALL_RESULTS_PAGE_H
#define PITWALL_RESULTS_PAGE_H

#include "results/answer.h"

struct page_options {
    struct answer_report report;
    bool live; /* served: links to other pages, and it follows a running one */
};

/* The page as a malloc'ed text, the caller's to free. Every text of others in
 * it is escaped; its size is bounded by the report's tables and
 * PAGE_CELLS_MAX curves.
 * Errors  as answer_report; --rows metric is ERR_USAGE. */
CHECKED enum err page_report(struct store *store, int64_t experiment,
                             const struct page_options *options, char **html,
                             struct why *why);

#endif
