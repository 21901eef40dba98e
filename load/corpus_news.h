/* How far a corpus is that is about to be there, for those who wait for it:
 * each stage that may take long tells it as it gets on, and is silent when it
 * does not. */
#ifndef PITWALL_LOAD_CORPUS_NEWS_H
#define PITWALL_LOAD_CORPUS_NEWS_H

#include <stddef.h>
#include <stdint.h>

enum corpus_stage {
    CORPUS_READS, /* a user's file: its lines, then its bytes' SHA-256 */
    CORPUS_WAITS, /* for another process that makes it */
    CORPUS_MAKES,
    CORPUS_CHECKS /* what lies in the cache */
};

struct corpus_news {
    enum corpus_stage stage;
    uint64_t done, of; /* MAKES: documents, else bytes; WAITS: of is 0 */
};

#define CORPUS_NEWS_SIZE 64 /* of the text, a task's in STATUS */

/* "making corpus, 1000 of 5000 docs". */
void corpus_news_text(const struct corpus_news *news,
                      char text[CORPUS_NEWS_SIZE]);

#endif
