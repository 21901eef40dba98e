/* What a page has inside beside its data: its style, its scripts, Chart.js and
 * that library's licence. Made by assets/embed.py at build. */
#ifndef PITWALL_RESULTS_PAGE_ASSETS_H
#define PITWALL_RESULTS_PAGE_ASSETS_H

#include <stddef.h>

struct page_asset {
    const char *text; /* [len], not terminated */
    size_t len;
    const char *sha256; /* in base64 */
};

extern const struct page_asset page_css, page_js, page_live, page_chart_js,
    page_licence;

#endif
