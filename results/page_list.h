/* The experiments of a store as a page, each with its link: what is served at
 * the root. */
#ifndef PITWALL_RESULTS_PAGE_LIST_H
#define PITWALL_RESULTS_PAGE_LIST_H

#include "results/answer.h"

/* The page as a malloc'ed text, the caller's to free. The newest
 * PAGE_LIST_MAX. */
#define PAGE_LIST_MAX 500
CHECKED enum err page_list(struct store *store, char **html, struct why *why);

#endif
