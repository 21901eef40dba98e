#include "load/corpus_news.h"

#include <inttypes.h>
#include <stdio.h>

#define MB 1000000u

void corpus_news_text(const struct corpus_news *news,
                      char text[CORPUS_NEWS_SIZE])
{
    uint64_t done = news->done, of = news->of;
    switch (news->stage) {
    case CORPUS_READS:
        (void)snprintf(text, CORPUS_NEWS_SIZE,
                       "reading corpus, %" PRIu64 " of %" PRIu64 " MB",
                       done / MB, of / MB);
        break;
    case CORPUS_WAITS:
        (void)snprintf(text, CORPUS_NEWS_SIZE,
                       "waiting for corpus, another made %" PRIu64 " MB so far",
                       done / MB);
        break;
    case CORPUS_MAKES:
        (void)snprintf(text, CORPUS_NEWS_SIZE,
                       "making corpus, %" PRIu64 " of %" PRIu64 " docs", done,
                       of);
        break;
    case CORPUS_CHECKS:
        (void)snprintf(text, CORPUS_NEWS_SIZE,
                       "checking corpus, %" PRIu64 " of %" PRIu64 " MB",
                       done / MB, of / MB);
        break;
    }
}
