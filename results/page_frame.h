/* What every page begins and ends with: its policy, style and scripts. */
#ifndef PITWALL_RESULTS_PAGE_FRAME_H
#define PITWALL_RESULTS_PAGE_FRAME_H

#include <stdbool.h>
#include <stdio.h>

/* The policy of a page in a header or a meta tag: the inline style and scripts
 * by their digests and nothing else; live: also what the server itself
 * answers. A text of at most PAGE_POLICY_BYTES with
 * its NUL; returns buf. */
#define PAGE_POLICY_BYTES 512
const char *page_policy(bool live, char buf[PAGE_POLICY_BYTES]);

/* Write all up to the main part. */
void page_begin(FILE *out, const char *title, bool live);

/* Write the rest; charts: with the scripts that draw from the element "data";
 * live: with the one that follows a running experiment. */
void page_end(FILE *out, bool charts, bool live);

/* A heading with an anchor in the page. */
void page_section(FILE *out, const char *id, const char *heading);

#endif
